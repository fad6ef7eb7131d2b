// SPDX-License-Identifier: GPL-2.0
//! Rust: structs, enums with data, slices, boxes, shared pointers, traits and closures.

use std::mem::size_of;
use std::os::raw::{c_char, c_int, c_long, c_void};
use std::rc::Rc;

extern "C" {
    fn truth_type(name: *const c_char, size: usize, flags: c_int);
    fn truth_member(
        name: *const c_char,
        member: *const c_char,
        offset: usize,
        size: usize,
        element: usize,
        class: c_int,
        nested: *const c_char,
    );
    fn truth_alloc(name: *const c_char, count: usize) -> *mut c_void;
    fn truth_free(object: *mut c_void, name: *const c_char);
    fn truth_region(start: *const c_void, size: usize, name: *const c_char);
    fn truth_sink(value: c_long);
    fn truth_hide(value: c_long) -> c_long;
}

const INTEGER: c_int = 1;
const REAL: c_int = 8;
const RECORD: c_int = 12;
const VALUE: c_int = 2;
const OPAQUE: c_int = 4;

macro_rules! text {
    ($text:expr) => {
        concat!($text, "\0").as_ptr() as *const c_char
    };
}

/// Where a member of a struct is: asked of a place of its size, not of debug information.
macro_rules! member {
    ($type:ty, $name:expr, $member:ident, $class:expr, $element:expr, $nested:expr) => {{
        let place = std::mem::MaybeUninit::<$type>::uninit();
        let base = place.as_ptr();
        unsafe {
            let member = std::ptr::addr_of!((*base).$member);
            truth_member(
                text!($name),
                text!(stringify!($member)),
                member as usize - base as usize,
                size_of_pointed(member),
                if $element == 0 { size_of_pointed(member) } else { $element },
                $class,
                text!($nested),
            );
        }
    }};
}

fn size_of_pointed<T>(_: *const T) -> usize {
    size_of::<T>()
}

/// An allocation of its own arena for each type: what Box::new() would give.
macro_rules! boxed {
    ($type:ty, $name:expr, $value:expr) => {
        unsafe {
            let place = truth_alloc(text!($name), 1) as *mut $type;
            place.write($value);
            std::mem::ManuallyDrop::new(Box::from_raw(place))
        }
    };
}

macro_rules! slice {
    ($type:ty, $name:expr, $count:expr, $make:expr) => {
        unsafe {
            let place = truth_alloc(text!($name), $count) as *mut $type;
            for i in 0..$count {
                place.add(i).write($make(i));
            }
            std::slice::from_raw_parts_mut(place, $count)
        }
    };
}

#[derive(Clone, Copy, PartialEq)]
pub struct Point {
    x: i32,
    y: i64,
}

pub struct Node {
    id: u32,
    flag: bool,
    at: Point,
    weights: [u16; 6],
    next: Option<&'static Node>,
    child: Option<std::mem::ManuallyDrop<Box<Node>>>,
    load: f64,
}

pub enum Shape {
    Empty,
    Circle { center: Point, radius: f64 },
    Line(Point, Point),
    Group(&'static [Point], u8),
}

pub struct Cell {
    shape: Shape,
    visits: u64,
}

pub struct Pair<A, B> {
    first: A,
    second: B,
}

pub trait Animal {
    fn kind_trait_object__weight(&self) -> u64;
    fn kind_trait_object__feed(&mut self, food: u64);
}

pub struct Cow {
    weight: u64,
    milk: u32,
}

pub struct Hen {
    eggs: u16,
    weight: u64,
}

impl Animal for Cow {
    fn kind_trait_object__weight(&self) -> u64 {
        self.weight + self.milk as u64
    }
    fn kind_trait_object__feed(&mut self, food: u64) {
        self.weight += food;
        self.milk += 1;
    }
}

impl Animal for Hen {
    fn kind_trait_object__weight(&self) -> u64 {
        self.weight * self.eggs as u64
    }
    fn kind_trait_object__feed(&mut self, food: u64) {
        self.eggs += food as u16;
    }
}

static mut TOTALS: Pair<u64, [i32; 4]> = Pair { first: 0, second: [0; 4] };

#[inline(never)]
fn kind_struct__sum(node: &Node) -> i64 {
    node.id as i64 + node.at.y + node.at.x as i64 + node.flag as i64
}

#[inline(never)]
fn kind_struct__set(node: &mut Node, by: i64) {
    node.at.y += by;
    node.load *= 1.5;
    node.flag = by & 1 == 0;
}

#[inline(never)]
fn kind_struct__array_member(node: &Node, index: usize) -> u64 {
    let sum: u64 = node.weights.iter().map(|w| *w as u64).sum();
    sum + node.weights[index % 6] as u64
}

#[inline(never)]
fn kind_struct__copy(to: &mut Node, from: &Node) {
    to.at = from.at;
    to.weights = from.weights;
}

#[inline(never)]
fn kind_chain__walk(first: &Node) -> i64 {
    let mut sum = 0;
    let mut node = Some(first);
    while let Some(this) = node {
        sum += this.at.y - this.id as i64;
        node = this.next;
    }
    sum
}

#[inline(never)]
fn kind_box__child(node: &mut Node) -> u32 {
    match &mut node.child {
        Some(child) => {
            child.id += 1;
            child.id + child.at.x as u32
        }
        None => 0,
    }
}

#[inline(never)]
fn kind_box__owned(point: &mut Box<Point>) -> i64 {
    point.x += 1;
    point.y + point.x as i64
}

#[inline(never)]
fn kind_slice__sum(points: &[Point]) -> i64 {
    let mut sum = 0;
    for point in points {
        sum += point.y;
    }
    sum
}

#[inline(never)]
fn kind_slice__index(points: &mut [Point], index: usize) -> i64 {
    points[index].x += 2;
    points[points.len() - 1 - index].y
}

#[inline(never)]
fn kind_slice__iterators(nodes: &mut [Cell]) -> u64 {
    nodes.iter_mut().for_each(|cell| cell.visits += 1);
    nodes.iter().filter(|cell| cell.visits > 3).map(|cell| cell.visits).sum()
}

#[inline(never)]
fn kind_slice__windows(points: &[Point]) -> i64 {
    points.windows(2).map(|pair| pair[1].y - pair[0].x as i64).sum()
}

#[inline(never)]
fn kind_enum__area(shape: &Shape) -> f64 {
    match shape {
        Shape::Empty => 0.0,
        Shape::Circle { center, radius } => radius * radius + center.x as f64,
        Shape::Line(from, to) => (from.x - to.x) as f64 + to.y as f64,
        Shape::Group(points, extra) => points.len() as f64 + *extra as f64 + points[0].x as f64,
    }
}

#[inline(never)]
fn kind_enum__grow(cell: &mut Cell) {
    cell.visits += 1;
    match &mut cell.shape {
        Shape::Circle { radius, .. } => *radius += 1.0,
        Shape::Line(_, to) => to.y += 1,
        _ => {}
    }
}

#[inline(never)]
fn kind_generic__swap<A: Copy, B: Copy>(pair: &mut Pair<A, B>, first: A, second: B) -> (A, B) {
    let old = (pair.first, pair.second);
    pair.first = first;
    pair.second = second;
    old
}

#[inline(never)]
fn kind_trait_object__all(animals: &mut [&mut dyn Animal]) -> u64 {
    let mut sum = 0;
    for animal in animals {
        animal.kind_trait_object__feed(2);
        sum += animal.kind_trait_object__weight();
    }
    sum
}

#[inline(never)]
fn kind_closure__call<F: FnMut(i64) -> i64>(mut f: F) -> i64 {
    f(1) + f(2)
}

#[inline(never)]
fn kind_closure__capture(node: &Node, point: &mut Point) -> i64 {
    kind_closure__call(|by| {
        point.x += by as i32;
        point.y + node.at.y * by
    })
}

#[inline(never)]
fn kind_closure__dynamic(f: &dyn Fn(i64) -> i64) -> i64 {
    f(3)
}

#[inline(never)]
fn kind_shared__count(point: &Rc<Point>) -> i64 {
    let other = Rc::clone(point);
    other.y + Rc::strong_count(point) as i64
}

#[inline(never)]
fn kind_global__totals(by: usize) -> i64 {
    unsafe {
        TOTALS.first += by as u64;
        TOTALS.second[by % 4] += 1;
        TOTALS.second[1] as i64 + TOTALS.first as i64
    }
}

#[inline(never)]
fn kind_raw_pointer__walk(mut point: *const Point, count: usize) -> i64 {
    let mut sum = 0;
    unsafe {
        let end = point.add(count);
        while point < end {
            sum += (*point).y;
            point = point.add(1);
        }
    }
    sum
}

/// A variant's member: where it is in a value of that variant.
macro_rules! variant {
    ($shape:expr, $variant:expr, $member:expr, $place:expr, $size:expr, $class:expr, $nested:expr) => {
        unsafe {
            truth_member(
                text!(concat!("records::Shape::", $variant)),
                text!($member),
                $place as *const _ as *const u8 as usize - &$shape as *const Shape as usize,
                $size,
                $size,
                $class,
                text!($nested),
            )
        }
    };
}

#[inline(never)]
fn describe_shape() {
    let point = Point { x: 1, y: 2 };
    let circle = Shape::Circle { center: point, radius: 1.0 };
    let line = Shape::Line(point, point);
    let group = Shape::Group(&[], 1);

    if let Shape::Circle { center, radius } = &circle {
        variant!(circle, "Circle", "center", center, 16, RECORD, "records::Point");
        variant!(circle, "Circle", "radius", radius, 8, REAL, "");
    }
    if let Shape::Line(from, to) = &line {
        variant!(line, "Line", "__0", from, 16, RECORD, "records::Point");
        variant!(line, "Line", "__1", to, 16, RECORD, "records::Point");
    }
    if let Shape::Group(points, extra) = &group {
        variant!(group, "Group", "__0", points, 16, RECORD, "&[records::Point]");
        variant!(group, "Group", "__1", extra, 1, INTEGER, "");
    }
    macro_rules! shape {
        ($variant:expr) => {
            unsafe {
                truth_member(
                    text!("records::Shape"),
                    text!($variant),
                    0,
                    size_of::<Shape>(),
                    size_of::<Shape>(),
                    RECORD,
                    text!(concat!("records::Shape::", $variant)),
                )
            }
        };
    }
    shape!("Empty");
    shape!("Circle");
    shape!("Line");
    shape!("Group");
}

#[inline(never)]
fn describe() {
    unsafe {
        truth_type(text!("u64"), 8, 0);
        truth_type(text!("records::Point"), size_of::<Point>(), VALUE);
        truth_type(text!("records::Node"), size_of::<Node>(), VALUE);
        truth_type(text!("records::Shape"), size_of::<Shape>(), VALUE);
        truth_type(text!("records::Shape::Empty"), size_of::<Shape>(), VALUE);
        truth_type(text!("records::Shape::Circle"), size_of::<Shape>(), VALUE);
        truth_type(text!("records::Shape::Line"), size_of::<Shape>(), VALUE);
        truth_type(text!("records::Shape::Group"), size_of::<Shape>(), VALUE);
        truth_type(text!("&[records::Point]"), 16, OPAQUE | VALUE);
        truth_type(text!("records::Cell"), size_of::<Cell>(), VALUE);
        truth_type(text!("records::Cow"), size_of::<Cow>(), VALUE);
        truth_type(text!("records::Hen"), size_of::<Hen>(), VALUE);
        truth_type(text!("records::Pair<u64, [i32; 4]>"), size_of::<Pair<u64, [i32; 4]>>(), VALUE);
        truth_type(text!("records::Pair<i32, records::Point>"), size_of::<Pair<i32, Point>>(), VALUE);
        truth_type(text!("core::option::Option<&records::Node>"), 8, OPAQUE | VALUE);
        truth_type(text!("core::option::Option<boxed>"), 8, OPAQUE | VALUE);
    }
    member!(Point, "records::Point", x, INTEGER, 0, "");
    member!(Point, "records::Point", y, INTEGER, 0, "");
    member!(Node, "records::Node", id, INTEGER, 0, "");
    member!(Node, "records::Node", flag, INTEGER, 0, "");
    member!(Node, "records::Node", at, RECORD, 0, "records::Point");
    member!(Node, "records::Node", weights, INTEGER, 2, "");
    member!(Node, "records::Node", next, RECORD, 0, "core::option::Option<&records::Node>");
    member!(Node, "records::Node", child, RECORD, 0, "core::option::Option<boxed>");
    member!(Node, "records::Node", load, REAL, 0, "");
    describe_shape();
    member!(Cell, "records::Cell", shape, RECORD, 0, "records::Shape");
    member!(Cell, "records::Cell", visits, INTEGER, 0, "");
    member!(Cow, "records::Cow", weight, INTEGER, 0, "");
    member!(Cow, "records::Cow", milk, INTEGER, 0, "");
    member!(Hen, "records::Hen", eggs, INTEGER, 0, "");
    member!(Hen, "records::Hen", weight, INTEGER, 0, "");
    member!(Pair<u64, [i32; 4]>, "records::Pair<u64, [i32; 4]>", first, INTEGER, 0, "");
    member!(Pair<u64, [i32; 4]>, "records::Pair<u64, [i32; 4]>", second, INTEGER, 4, "");
    member!(Pair<i32, Point>, "records::Pair<i32, records::Point>", first, INTEGER, 0, "");
    member!(Pair<i32, Point>, "records::Pair<i32, records::Point>", second, RECORD, 0, "records::Point");
    unsafe {
        let totals = std::ptr::addr_of!(TOTALS);
        truth_region(totals as *const c_void, size_of_pointed(totals), text!("records::Pair<u64, [i32; 4]>"));
    }
}

fn main() {
    const NR: usize = 16;
    let mut sum = 0i64;

    describe();
    let points = slice!(Point, "records::Point", NR, |i| Point { x: i as i32, y: 3 * i as i64 });
    let cells = slice!(Cell, "records::Cell", NR, |i| Cell { shape: Shape::Empty, visits: i as u64 });
    let mut point = unsafe {
        let place = truth_alloc(text!("records::Point"), 1) as *mut Point;
        place.write(Point { x: 1, y: 2 });
        std::mem::ManuallyDrop::new(Box::from_raw(place))
    };
    let shared: &'static [Point] = unsafe { std::slice::from_raw_parts(points.as_ptr(), 3) };
    let mut pair = boxed!(
        Pair<i32, Point>,
        "records::Pair<i32, records::Point>",
        Pair { first: 1, second: Point { x: 1, y: 1 } }
    );
    let mut cow = boxed!(Cow, "records::Cow", Cow { weight: 500, milk: 3 });
    let mut hen = boxed!(Hen, "records::Hen", Hen { eggs: 2, weight: 2 });
    let rc = Rc::new(Point { x: 4, y: 5 });
    let mut first: Option<&'static Node> = None;

    for i in 0..NR {
        let node = |next, id, child| Node {
            id,
            flag: true,
            at: Point { x: i as i32, y: 7 },
            weights: [1, 2, 3, i as u16, 5, 6],
            next,
            child,
            load: 1.0,
        };
        let child = boxed!(Node, "records::Node", node(None, 9, None));
        let mut this = boxed!(Node, "records::Node", node(first, i as u32, Some(child)));

        cells[i].shape = match i % 4 {
            0 => Shape::Empty,
            1 => Shape::Circle { center: points[i], radius: 2.0 },
            2 => Shape::Line(points[i], points[0]),
            _ => Shape::Group(shared, 4),
        };
        kind_struct__set(&mut this, i as i64);
        sum += kind_struct__sum(&this) + kind_struct__array_member(&this, i) as i64;
        if let Some(other) = first {
            kind_struct__copy(&mut this, other);
        }
        sum += kind_box__child(&mut this) as i64 + kind_box__owned(&mut point);
        sum += kind_slice__sum(points) + kind_slice__index(points, i);
        sum += kind_slice__iterators(cells) as i64 + kind_slice__windows(points);
        kind_enum__grow(&mut cells[i]);
        sum += kind_enum__area(&cells[i].shape) as i64;
        sum += kind_generic__swap(&mut *pair, i as i32, points[i]).0 as i64;
        {
            let mut animals: [&mut dyn Animal; 2] = [&mut **cow, &mut **hen];
            sum += kind_trait_object__all(&mut animals) as i64;
        }
        sum += kind_closure__capture(&this, &mut points[i]);
        let captured = &points[0];
        let by = unsafe { truth_hide(2) };
        sum += kind_closure__dynamic(&|x| captured.y * x + by);
        sum += kind_shared__count(&rc) + kind_global__totals(i);
        sum += kind_raw_pointer__walk(points.as_ptr(), NR);
        let kept: &'static Node = Box::leak(std::mem::ManuallyDrop::into_inner(this));
        sum += kind_chain__walk(kept);
        first = Some(kept);
    }
    unsafe {
        truth_sink(sum);
        truth_free(std::ptr::null_mut(), text!("records::Point"));
    }
}
