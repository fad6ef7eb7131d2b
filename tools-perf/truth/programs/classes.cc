// SPDX-License-Identifier: GPL-2.0
/* Classes: references, bases, virtual bases, templates, lambdas, pointers to members. */
#include "truth.hh"

namespace zoo {

struct Size {
	double length, height;
	double area() const { return length * height; }
};

class Animal {
public:
	IN_ARENA(zoo::Animal)
	explicit Animal(int id) : id(id), weight(id * 2), mother(nullptr), size{1.0 * id, 2} {}
	virtual ~Animal() {}
	virtual long kind_virtual_call__legs() const { return 4; }
	virtual void kind_virtual_call__feed(int food) { weight += food; }
	KIND long kind_this__sum() const { return id + weight + (mother ? mother->id : 0); }
	KIND void kind_this__grow(double by)
	{
		size.length *= by;
		size.height += by;
		weight++;
	}
	double area() const { return size.area(); }

	int id;
	long weight;
	Animal *mother;
	Size size;
	static int nr;
	static Size biggest;
};

int Animal::nr;
Size Animal::biggest;

class Bird : public Animal {
public:
	IN_ARENA(zoo::Bird)
	explicit Bird(int id) : Animal(id), wings(2), speed(id * 3) {}
	long kind_virtual_call__legs() const override { return wings + id; }
	void kind_virtual_call__feed(int food) override
	{
		speed -= food;
		weight += food;
		size.length += speed;
	}

	short wings;
	int speed;
	Size nest;
};

struct Swimmer {
	virtual ~Swimmer() {}
	virtual long kind_virtual_call__dive() { return depth++; }
	long depth = 3;
	float breath = 1;
};

struct Duck final : public Bird, public Swimmer {
	IN_ARENA(zoo::Duck)
	explicit Duck(int id) : Bird(id), ducklings(id) {}
	long kind_virtual_call__dive() override { return depth + ducklings + speed; }

	int ducklings;
	Duck *next = nullptr;
};

struct Thing {
	virtual ~Thing() {}
	int price = 7;
	long stock = 8;
};

struct Toy : virtual Thing {
	int age = 3;
};

struct Tool : virtual Thing {
	int power = 4;
	double torque = 2;
};

struct Robot : Toy, Tool {
	IN_ARENA(zoo::Robot)
	long charge = 5;
};

struct Empty {};

struct Tagged : Empty {
	IN_ARENA(zoo::Tagged)
	int tag;
	Empty nothing;
	union {
		long number;
		struct {
			int low;
			unsigned short high, rest;
		} part;
	};
	enum class Mood : unsigned char { calm, wild } mood;
};

}

template <class T, int N> struct Ring {
	T slots[N];
	unsigned int head, used;

	KIND void kind_template__push(const T &value)
	{
		slots[(head + used) % N] = value;
		if (used < N)
			used++;
		else
			head = (head + 1) % N;
	}
	KIND T kind_template__sum() const
	{
		T sum = {};

		for (unsigned int i = 0; i < used; i++)
			sum += slots[(head + i) % N];
		return sum;
	}
};

template <class K, class V> struct Pair {
	K key;
	V value;
	Pair *next;
};

template <class K, class V> KIND V *kind_template__find(Pair<K, V> *pair, const K &key)
{
	for (; pair; pair = pair->next) {
		if (pair->key == key)
			return &pair->value;
	}
	return nullptr;
}

struct Point {
	long x, y;
	Point &operator+=(const Point &other)
	{
		x += other.x;
		y += other.y;
		return *this;
	}
	bool operator==(const Point &other) const { return x == other.x && y == other.y; }
};

using namespace zoo;

KIND long kind_reference__read(const Animal &animal)
{
	return animal.id + animal.weight + (long)animal.size.height;
}

KIND void kind_reference__write(Bird &bird, Size &size, const int &speed)
{
	bird.speed = speed;
	bird.nest = size;
	size.length += bird.nest.height;
}

KIND Size &kind_reference__result(Bird &bird)
{
	return bird.wings > 1 ? bird.nest : bird.size;
}

KIND double kind_reference__from_call(Bird &bird)
{
	Size &size = kind_reference__result(bird);

	size.height += 2;
	return kind_reference__result(bird).length;
}

KIND long kind_reference__pointer_to_pointer(Animal *&place, Animal *other)
{
	Animal *old = place;

	place = other;
	return old->id + place->weight;
}

KIND long kind_base_class__fields(Bird *bird)
{
	return bird->id + bird->weight + bird->wings + (long)bird->size.length;
}

KIND long kind_base_class__down(Animal *animal)
{
	Bird *bird = static_cast<Bird *>(animal);

	bird->nest.height = 2;
	return bird->speed + bird->mother->id;
}

KIND long kind_multiple_bases__own(Duck *duck)
{
	return duck->depth + duck->ducklings + duck->id + duck->wings;
}

KIND long kind_multiple_bases__up(Duck *duck)
{
	Swimmer *swimmer = duck;

	swimmer->breath += 1;
	return swimmer->depth;
}

KIND long kind_multiple_bases__down(Swimmer *swimmer)
{
	Duck *duck = static_cast<Duck *>(swimmer);

	return duck->ducklings + duck->speed + swimmer->depth;
}

KIND long kind_multiple_bases__walk(Duck *duck)
{
	long sum = 0;

	for (; duck; duck = duck->next)
		sum += duck->ducklings + duck->weight;
	return sum;
}

KIND long kind_virtual_base__through(Toy *toy)
{
	toy->stock++;
	return toy->price + toy->age;
}

KIND long kind_virtual_base__direct(Robot *robot)
{
	return robot->price + robot->stock + robot->power + robot->charge + robot->age;
}

KIND long kind_virtual_base__second(Tool &tool)
{
	tool.torque += tool.power;
	return tool.stock;
}

KIND long kind_virtual_call__all(Animal **animals, int nr)
{
	long sum = 0;

	for (int i = 0; i < nr; i++) {
		animals[i]->kind_virtual_call__feed(i);
		sum += animals[i]->kind_virtual_call__legs();
	}
	return sum;
}

KIND long kind_virtual_call__second_base(Swimmer *swimmer)
{
	return swimmer->kind_virtual_call__dive();
}

KIND long kind_member_pointer__field(Animal *animal, long Animal::*field)
{
	animal->*field += 3;
	return animal->*field + animal->id;
}

KIND long kind_member_pointer__call(Animal *animal, long (Animal::*method)() const)
{
	return (animal->*method)() + animal->weight;
}

KIND long kind_static_member__read(int by)
{
	Animal::nr += by;
	Animal::biggest.length += by;
	return Animal::nr + (long)Animal::biggest.height;
}

KIND long kind_union__member(Tagged *tagged)
{
	if (tagged->mood == Tagged::Mood::wild)
		return tagged->part.high + tagged->part.low;
	tagged->tag++;
	return tagged->number;
}

template <class F> KIND long kind_lambda__call(F f, int nr)
{
	long sum = 0;

	for (int i = 0; i < nr; i++)
		sum += f(i);
	return sum;
}

template <class F> KIND long kind_lambda__by_reference(const F &f)
{
	return f(1) + f(2);
}

KIND long kind_lambda__captures(Bird *bird, Size *size, int by)
{
	long calls = 0;
	long sum = kind_lambda__call([bird, size, &calls, by](int i) {
		calls++;
		size->height += i;
		return bird->speed + by + bird->id;
	}, 5);

	sum += kind_lambda__by_reference([=](int i) { return bird->weight * i + (long)size->length; });
	return sum + calls;
}

KIND long kind_exception__caught(Animal *animal, int limit)
{
	long sum = 0;

	try {
		if (animal->id > limit)
			throw animal;
		sum = animal->weight;
	} catch (Animal *thrown) {
		thrown->weight--;
		sum = thrown->size.length;
	}
	return sum + animal->id;
}

static long overloaded(const Size &size) { return size.length; }
static long overloaded(const Point &point) { return point.x; }

KIND long kind_reference__overloads(const Bird &bird, const Point &point)
{
	return overloaded(bird.nest) + overloaded(point) + overloaded(bird.size);
}

DESCRIBE
{
	TYPE(int);
	TYPE(void *);
	TYPE_FLAGS(zoo::Size, TRUTH_VALUE);
	FIELD(zoo::Size, length);
	FIELD(zoo::Size, height);
	TYPE(zoo::Animal);
	FIELD(zoo::Animal, id);
	FIELD(zoo::Animal, weight);
	FIELD(zoo::Animal, mother);
	NESTED(zoo::Animal, size, zoo::Size);
	TYPE(zoo::Bird);
	BASE(zoo::Bird, zoo::Animal);
	FIELD(zoo::Bird, wings);
	FIELD(zoo::Bird, speed);
	NESTED(zoo::Bird, nest, zoo::Size);
	TYPE(zoo::Swimmer);
	FIELD(zoo::Swimmer, depth);
	FIELD(zoo::Swimmer, breath);
	TYPE(zoo::Duck);
	BASE(zoo::Duck, zoo::Bird);
	BASE(zoo::Duck, zoo::Swimmer);
	FIELD(zoo::Duck, ducklings);
	FIELD(zoo::Duck, next);
	TYPE(zoo::Tagged);
	FIELD(zoo::Tagged, tag);
	FIELD(zoo::Tagged, number);
	FIELD(zoo::Tagged, part.low);
	FIELD(zoo::Tagged, part.high);
	FIELD(zoo::Tagged, part.rest);
	FIELD(zoo::Tagged, mood);
	TYPE_FLAGS(Point, TRUTH_VALUE);
	FIELD(Point, x);
	FIELD(Point, y);
	truth_type("Ring<long, 8>", sizeof(Ring<long, 8>), 0);
	truth_member("Ring<long, 8>", "slots", 0, 64, 8, 1, "");
	truth_member("Ring<long, 8>", "head", 64, 4, 4, 1, "");
	truth_member("Ring<long, 8>", "used", 68, 4, 4, 1, "");
	truth_type("Ring<Point, 3>", sizeof(Ring<Point, 3>), 0);
	truth_member("Ring<Point, 3>", "slots", 0, 48, 16, 12, "Point");
	truth_member("Ring<Point, 3>", "head", 48, 4, 4, 1, "");
	truth_member("Ring<Point, 3>", "used", 52, 4, 4, 1, "");
	truth_type("Pair<int, zoo::Size>", sizeof(Pair<int, Size>), 0);
	truth_member("Pair<int, zoo::Size>", "key", 0, 4, 4, 1, "");
	truth_member("Pair<int, zoo::Size>", "value", 8, 16, 16, 12, "zoo::Size");
	truth_member("Pair<int, zoo::Size>", "next", 24, 8, 8, 5, "");
	truth_type("Pair<Point, zoo::Duck *>", sizeof(Pair<Point, Duck *>), 0);
	truth_alias("Pair<Point, zoo::Duck *>", "Pair<Point, zoo::Duck*>");
	truth_member("Pair<Point, zoo::Duck *>", "key", 0, 16, 16, 12, "Point");
	truth_member("Pair<Point, zoo::Duck *>", "value", 16, 8, 8, 5, "");
	truth_member("Pair<Point, zoo::Duck *>", "next", 24, 8, 8, 5, "");
	PLACED(Animal::nr, int);
	PLACED(Animal::biggest, zoo::Size);

	TYPE(zoo::Thing);
	FIELD(zoo::Thing, price);
	FIELD(zoo::Thing, stock);
	/* Alone they have their base elsewhere than in a Robot: only its offset is of use. */
	TYPE(zoo::Toy);
	TYPE(zoo::Tool);
	TYPE(zoo::Robot);
	Robot *robot = new Robot;
	size_t toy = (char *)&static_cast<Toy *>(robot)->age - (char *)static_cast<Toy *>(robot);
	size_t tool = (char *)static_cast<Tool *>(robot) - (char *)robot;

	truth_member("zoo::Toy", "age", toy, 4, 4, 1, "");
	truth_member("zoo::Tool", "power", (char *)&robot->power - (char *)robot - tool, 4, 4, 1, "");
	truth_member("zoo::Tool", "torque", (char *)&robot->torque - (char *)robot - tool, 8, 8, 8, "");
	truth_member("zoo::Robot", "", 0, toy + 4, toy + 4, 12, "zoo::Toy");
	truth_member("zoo::Robot", "", tool, 24, 24, 12, "zoo::Tool");
	truth_member("zoo::Robot", "charge", (char *)&robot->charge - (char *)robot, 8, 8, 1, "");
	VIRTUAL_BASE(robot, zoo::Robot, zoo::Thing);
	delete robot;
}

int main()
{
	enum { NR = 16 };
	Animal **animals;
	Duck *ducks = nullptr, *some[NR];
	long sum = 0;

	describe();
	animals = (Animal **)NEW_ARRAY(void *, NR);
	auto longs = (Ring<long, 8> *)truth_alloc("Ring<long, 8>", 1);
	auto points = (Ring<Point, 3> *)truth_alloc("Ring<Point, 3>", 1);
	auto sizes = (Pair<int, Size> *)truth_alloc("Pair<int, zoo::Size>", NR);
	auto owners = (Pair<Point, Duck *> *)truth_alloc("Pair<Point, zoo::Duck *>", NR);
	auto size = new (truth_alloc("zoo::Size", 1)) Size{1, 2};
	auto point = NEW(Point);
	auto tagged = new Tagged;

	for (int i = 0; i < NR; i++) {
		Duck *duck = new Duck(i);
		Bird *bird = new Bird(i);

		duck->next = ducks;
		some[i] = ducks = duck;
		duck->mother = i ? animals[i - 1] : duck;
		bird->mother = duck;
		animals[i] = i % 3 ? (Animal *)bird : i % 2 ? (Animal *)duck : new Animal(i);
		sizes[i].key = i;
		sizes[i].next = i + 1 < NR ? &sizes[i + 1] : nullptr;
		owners[i].key = Point{i, i + 1};
		owners[i].value = duck;
		owners[i].next = i + 1 < NR ? &owners[i + 1] : nullptr;
	}
	for (int i = 0; i < NR; i++) {
		Robot *robot = new Robot;
		Bird *bird = some[i];
		Animal *place = bird;

		sum += bird->kind_this__sum();
		bird->kind_this__grow(1.5);
		sum += kind_reference__read(*bird);
		kind_reference__write(*bird, *size, i);
		sum += kind_reference__from_call(*bird) + kind_reference__overloads(*bird, *point);
		sum += kind_reference__pointer_to_pointer(place, animals[i]);
		sum += kind_base_class__fields(bird) + kind_base_class__down(bird);
		sum += kind_multiple_bases__own(some[i]) + kind_multiple_bases__up(some[i]);
		sum += kind_multiple_bases__down(some[i]) + kind_multiple_bases__walk(ducks);
		sum += kind_virtual_base__through(robot) + kind_virtual_base__direct(robot);
		sum += kind_virtual_base__second(*robot);
		sum += kind_virtual_call__all(animals, NR) + kind_virtual_call__second_base(some[i]);
		sum += kind_member_pointer__field(bird, &Animal::weight);
		sum += kind_member_pointer__call(animals[i], i & 1 ? &Animal::kind_virtual_call__legs
								   : &Animal::kind_this__sum);
		sum += kind_static_member__read(i) + kind_union__member(tagged);
		tagged->mood = i & 1 ? Tagged::Mood::wild : Tagged::Mood::calm;
		sum += kind_lambda__captures(bird, size, i) + kind_exception__caught(bird, i - (i & 1));
		longs->kind_template__push(i);
		points->kind_template__push(Point{i, 1});
		sum += longs->kind_template__sum() + points->kind_template__sum().x;
		kind_template__find(sizes, i)->length += 1;
		sum += (*kind_template__find(owners, Point{i, i + 1}))->ducklings;
		delete robot;
	}
	truth_sink(sum);
}
