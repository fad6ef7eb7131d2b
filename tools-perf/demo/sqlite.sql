-- The work that the demo records in sqlite's shell: a b-tree that grows, an index, joins,
-- grouping and text. Takes some seconds; fixed data, no random numbers.
CREATE TABLE item(id INTEGER PRIMARY KEY, owner INTEGER, name TEXT, price REAL);
CREATE TABLE owner(id INTEGER PRIMARY KEY, name TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
INSERT INTO owner SELECT i, printf('owner-%05d', i * 7919 % 5000) FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500000)
INSERT INTO item SELECT i, 1 + i * 7919 % 5000, printf('item-%06d', i * 104729 % 1500000), i % 1000 / 8.0 FROM n;
CREATE INDEX item_name ON item(name);
CREATE INDEX item_owner ON item(owner, price);
SELECT count(*), sum(price) FROM item WHERE name LIKE '%99%';
SELECT o.name, count(*), avg(i.price) FROM owner o JOIN item i ON i.owner = o.id GROUP BY o.name ORDER BY 3 DESC LIMIT 5;
SELECT a.name FROM item a JOIN item b ON a.name = b.name WHERE b.price > 124 ORDER BY a.price, a.name DESC LIMIT 5;
UPDATE item SET price = price + 1, name = upper(name) WHERE id % 3 = 0;
DELETE FROM item WHERE owner % 5 = 0;
SELECT substr(name, 1, 7), max(price) FROM item GROUP BY 1 ORDER BY 1 LIMIT 5;
