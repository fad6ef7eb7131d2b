#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Data types in databases: all commands and queries of Documentation/fleet.md, on 1,000 recordings.
#
# usage: [PERF=FILE] [LINUX=DIR] [DUCKDB=1] tools-perf/tests/sql.sh [--update]
#
# Recordings of two builds of a program are made, exported and merged in SQLite, in a PostgreSQL server that is started for it, and
# by pprof where Go is installed, with DUCKDB=1 in DuckDB, too (its package for Node is kept in ~/.cache/perf-types/duckdb). All must
# give the same rows, those that the document shows, and these must add up to the samples that were made. What
# export-to-postgresql.py writes is compared with export-to-sqlite.py, table by table. --update writes into the document what
# PostgreSQL and pprof say.
# Exit status: 0 as it should be, 1 not, 2 it cannot be run.

# shellcheck disable=SC2034 # read by lib.bash
UPDATES=y
# shellcheck source=lib.bash
. "$(dirname "$0")/lib.bash"
need_x86
need gcc nm awk python3 sqlite3 psql
need_perf
linux=$(readlink -f "${LINUX:-${tools%/*}/build/linux}")
document=${tools%/*}/Documentation/fleet.md
lib=$linux/tools/perf/tests/shell/lib
export PERF_CONFIG=/dev/null LC_ALL=C PERF_EXEC_PATH=$linux/tools/perf
[ -e "$lib/objects_data.py" ] || skip "there is no $lib: make tree"

# server COMMAND...: PostgreSQL does not run as root
server_user=
server() {
	if [ -n "$server_user" ]; then
		(cd / && runuser -u "$server_user" -- "$@")
	else
		"$@"
	fi
}
stop_server() {
	[ ! -e "$tmp/pg/data/postmaster.pid" ] || server "$programs/pg_ctl" -D "$tmp/pg/data" -m immediate -w stop > /dev/null
}
# shellcheck disable=SC2154 # set by lib.bash
trap 'stop_server; rm -rf "$tmp"' EXIT

programs=$(find /usr/lib/postgresql -path '*/bin/initdb' 2> /dev/null | sort -V | tail -n 1)
programs=${programs%/initdb}
[ -n "$programs" ] || skip "no PostgreSQL server: install postgresql"
if [ "$(id -u)" = 0 ]; then
	server_user=postgres
	id "$server_user" > /dev/null 2>&1 || server_user=nobody
	chmod 711 "$tmp"
fi
mkdir "$tmp/pg"
[ -z "$server_user" ] || chown "$server_user" "$tmp/pg"
server "$programs/initdb" -D "$tmp/pg/data" -U perf --auth=trust -E UTF8 --locale=C --no-sync > "$tmp/log" 2>&1 ||
	skip "initdb does not work here: $(tail -n 1 "$tmp/log")"
server "$programs/pg_ctl" -D "$tmp/pg/data" -w -l "$tmp/pg/log" start \
	-o "-c listen_addresses= -c unix_socket_directories=$tmp/pg -c fsync=off" > "$tmp/log" 2>&1 ||
	{ fail "PostgreSQL does not start: $(cat "$tmp/log" "$tmp/pg/log")"; exit 1; }
export PGHOST=$tmp/pg PGUSER=perf PGOPTIONS='--client-min-messages=warning'
psql -q -d postgres -c 'CREATE DATABASE fleet'

# Two builds of a program: in the second one an order has a member more
cat > "$tmp/shop.c" <<'EOC'
struct item { struct item *next; long stock; long key; };
struct order {
	long id;
#ifdef NEW
	long region;
#endif
	long price;
};
#define ACCESS(text, p, m) asm volatile(text : : "r" (p), "i" (__builtin_offsetof(m)) : "rax", "memory")
void lookup(struct item *i) { asm volatile("mov (%0), %%rax" : : "r" (i) : "rax"); }
void store(struct item *i) { asm volatile("mov %%rax, 8(%0)" : : "r" (i) : "memory"); }
void price(struct order *o)
{
	asm volatile("mov %c1(%0), %%rax" : : "r" (o), "i" (__builtin_offsetof(struct order, price)) : "rax");
}
void untyped(void *p) { asm volatile("mov 8(%0), %%rax" : : "r" (p) : "rax"); }
EOC
sed -i '/define ACCESS/d' "$tmp/shop.c"
old=0e1d0e1d00000000000000000000000000000001 new=2e402e4000000000000000000000000000000002
for build in old new; do
	mkdir "$tmp/$build"
	id=$old define=
	[ $build = old ] || id=$new define=-DNEW
	gcc -g -O2 -fPIC -shared -nostdlib -fcf-protection=none ${define:+"$define"} "-Wl,--build-id=0x$id" -o "$tmp/$build/shop" "$tmp/shop.c" ||
		skip "gcc cannot make a shared object"
done

# recording HOST BUILD TIME SAMPLES-OF-LOOKUP STORE PRICE: 100 samples, 3 of code without types, 2 of a file that is gone
mkdir -p "$tmp/run/recordings"
recording() {
	local data=$tmp/run/recordings/$1.data object=$tmp/$2/shop
	python3 "$lib/objects_data.py" "--host=$1" "$data" "$object@${!2}:lookup=$4" "$object:store=$5" "$object:price=$6" \
		"$object:untyped=3" "$tmp/gone.so:run=2" || exit 1
	touch -d "@$3" "$data"
}
recording web-0000 old 1700000000 60 25 10
recording web-0042 old 1700000042 30 60 5
recording web-0500 new 1700000500 20 50 25

# block SECTION LANGUAGE NUMBER: of the document
block() {
	awk -v section="## $1" -v language="$2" -v wanted="$3" '
		/^## / { here = $0 == section; nr = 0 }
		/^```/ {
			take = 0
			if (!inside && here && substr($0, 4) == language)
				take = ++nr == wanted
			inside = !inside
			next
		}
		inside && take' "$document"
}

# run SECTION NUMBER: commands of the document, in a directory with recordings/
perf_dir=$(dirname "$(readlink -f "$perf")")
run() {
	block "$1" sh "$2" > "$tmp/commands"
	[ -s "$tmp/commands" ] || fail "there are no commands $2 in '$1'"
	(cd "$tmp/run" && PATH=$perf_dir:$PATH bash -eu "$tmp/commands") > "$tmp/log" 2>&1 || { fail "$1: $(cat "$tmp/log")"; exit 1; }
}

run Export 1
cut -d, -f1,2 "$tmp"/run/profiles/*.csv | sort -u > "$tmp/found"
printf '%s\n' web-0000,1700000000000000000 web-0042,1700000042000000000 web-0500,1700000500000000000 > "$tmp/expected"
diff "$tmp/expected" "$tmp/found" || fail "hosts and times of the profiles"

# A recording in PostgreSQL has, in all tables, what it has in SQLite
run 'Merge: PostgreSQL' 2
same_table() {
	sqlite3 "$tmp/run/profiles/web-0000.db" "$1" > "$tmp/expected"
	psql -qAt -d one -c "$1" > "$tmp/found"
	[ -s "$tmp/expected" ] || fail "nothing: $1"
	diff "$tmp/expected" "$tmp/found" > "$tmp/log" || fail "not the same in PostgreSQL: $1: $(head -n 5 "$tmp/log")"
}
for table in dsos data_type_members data_fields data_variables recordings selected_events; do
	same_table "SELECT * FROM $table ORDER BY id"
done
same_table 'SELECT id, dso_id, name, size, CASE WHEN known THEN 1 ELSE 0 END FROM data_types ORDER BY id'
same_table 'SELECT id, ip, time, period, data_type_id, data_field_id, data_variable_id, data_offset, data_width, data_read, data_write,
	data_evidence, data_ip FROM samples ORDER BY id'
same_table 'SELECT * FROM data_profile_view ORDER BY samples, object, type, field'
(cd "$tmp/run" && "$perf" script -i recordings/web-0000.data -s "$PERF_EXEC_PATH/scripts/python/export-to-postgresql.py" two branches calls \
	callchains data-types) > "$tmp/log" 2>&1 || fail "export of branches: $(cat "$tmp/log")"
rows='SELECT type, field, evidence, samples, reads, writes FROM data_profile_view ORDER BY 1, 2, 3, 4'
[ "$(psql -qAt -d two -c "$rows")" = "$(psql -qAt -d one -c "$rows")" ] || fail "branches: $(psql -d two -c "$rows")"
(cd "$tmp/run" && "$perf" script -i recordings/web-0000.data -s "$PERF_EXEC_PATH/scripts/python/export-to-postgresql.py" three) > "$tmp/log" 2>&1 ||
	fail "export without types: $(cat "$tmp/log")"
[ "$(psql -qAt -d three -c "SELECT count(*) FROM information_schema.columns WHERE table_schema = 'public' AND column_name LIKE 'data\\_%' AND column_name <> 'data_src'")" = 0 ] ||
	fail "types that were not asked for"
[ "$(psql -qAt -d three -c 'SELECT count(*) FROM samples WHERE id > 0')" = 100 ] || fail "export without types: not 100 samples"

# Merged from the three databases
run 'Merge: SQLite' 1
[ "$(sqlite3 "$tmp/run/fleet.db" 'SELECT sum(samples), count(DISTINCT hostname), count(DISTINCT build_id) FROM data_profiles')" = '300|3|3' ] ||
	fail "SQLite: not 300 samples of 3 hosts: $(sqlite3 "$tmp/run/fleet.db" 'SELECT * FROM data_profiles')"

# One profile of all by pprof: what the document shows. Of a thousand files it is a thousand times as much.
pprof=
if command -v go > /dev/null && HOME=$tmp go tool -n pprof > /dev/null 2>&1; then
	pprof=', pprof'
	export PPROF_TMPDIR=$tmp/fetched
	run 'Merge: pprof' 1
	HOME=$tmp run 'Merge: pprof' 2
	grep -vE '^Main binary filename|^(File|Build ID|hostname|Time|Duration): ' "$tmp/log" | sed 's/ *$//; /^$/d' > "$tmp/shown-pprof"
	block 'Merge: pprof' '' 1 > "$tmp/expected"
	[ -n "$update" ] || diff "$tmp/expected" "$tmp/shown-pprof" || fail "pprof: not what $document shows"
	for stock in 135 50 25; do
		grep -qE "^ *$stock(\.0)? .*(stock|store)" "$tmp/shown-pprof" || [ $stock = 50 ] || fail "pprof: not $stock samples of stock: $(cat "$tmp/log")"
	done
	mkdir "$tmp/many"
	for i in {0000..0999}; do ln "$tmp/run/profiles/web-0042.pb.gz" "$tmp/many/$i.pb.gz"; done
	HOME=$tmp go tool pprof -symbolize=none -top -tagfocus='type=struct item' "$tmp"/many/*.pb.gz > "$tmp/log" 2>&1
	awk '{ print $1, $NF }' "$tmp/log" | grep -qx '60000 store' || fail "pprof: 1,000 times 60 samples of store(): $(cat "$tmp/log")"
fi

# many HOST FIRST LAST: the profile of a host as that of those numbers, but for the one that differs
many() {
	awk -v first="$2" -v last="$3" '
		{ lines[NR] = $0 }
		END {
			for (i = first; i <= last; i++) {
				if (i == 42)
					continue
				file = sprintf("'"$tmp"'/run/profiles/web-%04d.csv", i)
				for (n = 1; n <= NR; n++) {
					line = lines[n]
					sub(/^[^,]*,[^,]*/, sprintf("web-%04d,%d000000000", i, 1700000000 + i), line)
					print line > file
				}
				close(file)
			}
		}' "$tmp/run/profiles/$1.csv"
}
many web-0000 0 499
many web-0500 500 999
[ "$(find "$tmp/run/profiles" -name '*.csv' | wc -l)" = 1000 ] || fail "not 1000 profiles"

block 'Merge: PostgreSQL' sql 1 > "$tmp/commands"
psql -q -v ON_ERROR_STOP=1 -d fleet -f "$tmp/commands" || fail "PostgreSQL: the table"
run 'Merge: PostgreSQL' 1
total='SELECT sum(samples), count(DISTINCT hostname) FROM data_profiles'
[ "$(psql -qAt -d fleet -c "$total")" = '100000|1000' ] || fail "PostgreSQL: not 100,000 samples of 1,000 hosts: $(psql -qAt -d fleet -c "$total")"
# Once more: the key says no, and so it does to the same recording from another database
for again in profiles/web-0007.csv one.csv; do
	! psql -q -d fleet -c "\\copy data_profiles FROM '$tmp/run/$again' CSV" > "$tmp/log" 2>&1 || fail "$again is there twice"
	grep -q 'duplicate key' "$tmp/log" || fail "$again: $(cat "$tmp/log")"
done

# The same rows in the others
sqlite3 "$tmp/run/fleet.db" 'DELETE FROM data_profiles'
cat "$tmp"/run/profiles/*.csv > "$tmp/all.csv"
sqlite3 "$tmp/run/fleet.db" ".import --csv $tmp/all.csv data_profiles"
plain() { sed -E 's/([0-9])\.0(\||$)/\1\2/g'; }
in_postgresql() { psql -qAt -v ON_ERROR_STOP=1 -d fleet -f "$1" | plain; }
in_sqlite() { sqlite3 "$tmp/run/fleet.db" < "$1" | plain; }

queries=0
while block Queries sql $((queries + 1)) > "$tmp/query" && [ -s "$tmp/query" ]; do
	queries=$((queries + 1))
	cp "$tmp/query" "$tmp/query-$queries"
	psql -q -v ON_ERROR_STOP=1 -P footer=off -d fleet -f "$tmp/query" 2>&1 | sed 's/ *$//; /^$/d' > "$tmp/shown-$queries"
	block Queries '' $queries > "$tmp/expected"
	if [ -z "$update" ]; then
		diff "$tmp/expected" "$tmp/shown-$queries" || fail "query $queries: not what $document shows"
	fi
	in_postgresql "$tmp/query" > "$tmp/rows-$queries"
	[ -s "$tmp/rows-$queries" ] || fail "query $queries: no rows"
	in_sqlite "$tmp/query" | diff "$tmp/rows-$queries" - || fail "query $queries: not the same in SQLite"
done
[ "$queries" -ge 6 ] || fail "only $queries queries in $document"

# What the recordings were made of, without any of this: types have the samples of 499 machines, one that differs, and 500
rows='SELECT type, sum(samples) FROM data_profiles GROUP BY type ORDER BY type'
printf '%s\n' "(unknown)|$((1000 * 5))" "struct item|$((499 * 85 + 90 + 500 * 70))" "struct order|$((499 * 10 + 5 + 500 * 25))" > "$tmp/expected"
psql -qAt -d fleet -c "$rows" | diff "$tmp/expected" - || fail "samples of the types"
rows='SELECT build_id, field, sum(reads), sum(writes) FROM data_profiles WHERE field IN ('"'stock', 'price'"') GROUP BY 1, 2 ORDER BY 1, 2'
printf '%s\n' "$old|price|$((499 * 10 + 5))|0" "$old|stock|0|$((499 * 25 + 60))" "$new|price|$((500 * 25))|0" "$new|stock|0|$((500 * 50))" > "$tmp/expected"
psql -qAt -d fleet -c "$rows" | diff "$tmp/expected" - || fail "reads and writes of the fields"

if [ -n "$update" ]; then
	python3 - "$document" "$tmp" <<'EOP' || fail "cannot update $document"
import os
import re
import sys
document, tmp = sys.argv[1:]
text = open(document).read()
number = 0


def shown(match):
    global number
    number += 1
    return match[1] + open(f"{tmp}/shown-{number}").read() + "```\n"


head, queries = text.split("\n## Queries\n")
if os.path.exists(f"{tmp}/shown-pprof"):
    start, pprof = head.split("\n## Merge: pprof\n")
    pprof = re.sub(r"(\n```\n\n```\n).*?```\n", lambda match: match[1] + open(f"{tmp}/shown-pprof").read() + "```\n", pprof, flags=re.S)
    head = start + "\n## Merge: pprof\n" + pprof
queries = re.sub(r"(\n```sql\n.*?\n```\n\n```\n).*?```\n", shown, queries, flags=re.S)
open(document, "w").write(head + "\n## Queries\n" + queries)
EOP
fi

if [ -n "${DUCKDB-}" ]; then
	{ command -v node && command -v npm; } > /dev/null || skip "no node or npm: install nodejs and npm"
	version=1.5.6-r.1
	duckdb=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/perf-types/duckdb
	mkdir -p "$duckdb"
	[ "$(cat "$duckdb/version" 2> /dev/null)" = $version ] ||
		npm install --no-audit --no-fund --loglevel=error --prefix "$duckdb" "@duckdb/node-api@$version" > "$tmp/log" 2>&1 ||
		skip "npm cannot install DuckDB: $(tail -n 1 "$tmp/log")"
	echo $version > "$duckdb/version"
	block 'Merge: DuckDB' sql 1 > "$tmp/commands"
	cat > "$tmp/duckdb.js" <<'EOJ'
const fs = require("fs");
const { DuckDBInstance } = require(process.argv[2] + "/node_modules/@duckdb/node-api");

async function main(commands, queries) {
	const connection = await (await DuckDBInstance.create(":memory:")).connect();
	await connection.run(fs.readFileSync(commands, "utf8"));
	for (const query of queries) {
		const reader = await connection.runAndReadAll(fs.readFileSync(query, "utf8"));
		const rows = reader.getRows().map((row) => row.map((value) => value === null ? "" : String(value)).join("|") + "\n");
		fs.writeFileSync(query + ".duckdb", rows.join(""));
	}
}

main(process.argv[3], process.argv.slice(4)).catch((error) => { console.error(String(error)); process.exit(1); });
EOJ
	echo "$total" > "$tmp/query-0"
	echo '100000|1000' > "$tmp/rows-0"
	(cd "$tmp/run" && node "$tmp/duckdb.js" "$duckdb" "$tmp/commands" $(seq -f "$tmp/query-%.0f" 0 "$queries")) || fail "DuckDB"
	for ((i = 0; i <= queries; i++)); do
		plain < "$tmp/query-$i.duckdb" | diff "$tmp/rows-$i" - || fail "query $i: not the same in DuckDB"
	done
fi

[ "$failed" = 0 ] || exit 1
echo "$test: 1000 recordings of 2 builds, $queries queries in PostgreSQL, SQLite$pprof${DUCKDB:+, DuckDB}"
