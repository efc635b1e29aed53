//! Reads the tables of an SQLite file, as far as tests need it: whole tables, no indexes, no write-ahead log.
//!
//! The crate under test must not depend on SQLite, and neither do its tests. The file format is described at
//! <https://www.sqlite.org/fileformat2.html>.

use strata_import::{MemoryTables, OwnedValue};

pub(crate) fn read_tables(bytes: &[u8]) -> MemoryTables {
    let file = File { bytes, page_size: page_size(bytes) };
    let mut tables = MemoryTables::new();
    for row in file.rows(1, 0) {
        let [
            OwnedValue::Text(kind),
            OwnedValue::Text(name),
            _,
            OwnedValue::Integer(root),
            OwnedValue::Text(sql),
        ] = &row[..]
        else {
            continue;
        };
        if kind == "table" {
            let columns = columns(sql);
            let columns: Vec<&str> = columns.iter().map(|column| &**column).collect();
            tables.add(name, &columns, file.rows(*root as usize, columns.len()));
        }
    }
    tables
}

fn page_size(bytes: &[u8]) -> usize {
    match u16::from_be_bytes([bytes[16], bytes[17]]) {
        1 => 65_536,
        size => size.into(),
    }
}

/// Names of the columns in a `CREATE TABLE` statement.
fn columns(sql: &str) -> Vec<String> {
    let body = &sql[sql.find('(').unwrap() + 1..sql.rfind(')').unwrap()];
    let mut depth = 0;
    let definitions = body.split(|c| {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        c == ',' && depth == 0
    });
    let names =
        definitions.map(|it| it.split_whitespace().next().unwrap_or("").trim_matches(['"', '`']).to_owned());
    names
        .filter(|name| !matches!(&**name, "PRIMARY" | "FOREIGN" | "UNIQUE" | "CONSTRAINT" | "CHECK"))
        .collect()
}

struct File<'f> {
    bytes: &'f [u8],
    page_size: usize,
}

impl File<'_> {
    fn page(&self, number: usize) -> &[u8] {
        &self.bytes[(number - 1) * self.page_size..number * self.page_size]
    }

    /// The rows of the table whose tree begins at this page, each with at least `width` values.
    fn rows(&self, number: usize, width: usize) -> Vec<Vec<OwnedValue>> {
        const INTERIOR: u8 = 5;
        const LEAF: u8 = 13;
        let page = self.page(number);
        let header = if number == 1 { 100 } else { 0 };
        let n_cells = usize::from(u16::from_be_bytes([page[header + 3], page[header + 4]]));
        let kind = page[header];
        let first_pointer = header + if kind == INTERIOR { 12 } else { 8 };
        let cells = (0..n_cells).map(|at| {
            let pointer = first_pointer + at * 2;
            usize::from(u16::from_be_bytes([page[pointer], page[pointer + 1]]))
        });
        match kind {
            LEAF => cells.map(|cell| self.row(page, cell, width)).collect(),
            INTERIOR => {
                let last = u32_at(page, header + 8);
                let children = cells.map(|cell| u32_at(page, cell)).chain([last]);
                children.flat_map(|child| self.rows(child, width)).collect()
            }
            other => panic!("page {number} is no part of a table: kind {other}"),
        }
    }

    fn row(&self, page: &[u8], cell: usize, width: usize) -> Vec<OwnedValue> {
        let mut at = cell;
        let size = varint(page, &mut at) as usize;
        let _row_id = varint(page, &mut at);
        let mut row = record(&self.payload(page, at, size));
        while row.len() < width {
            row.push(OwnedValue::Null);
        }
        row
    }

    /// The payload of a leaf cell, which goes on on overflow pages when it is long.
    fn payload(&self, page: &[u8], at: usize, size: usize) -> Vec<u8> {
        let max_local = self.page_size - 35;
        if size <= max_local {
            return page[at..at + size].to_vec();
        }
        let min_local = (self.page_size - 12) * 32 / 255 - 23;
        let fitting = min_local + (size - min_local) % (self.page_size - 4);
        let local = if fitting <= max_local { fitting } else { min_local };
        let mut payload = page[at..at + local].to_vec();
        let mut next = u32_at(page, at + local);
        while next != 0 && payload.len() < size {
            let page = self.page(next);
            let n_bytes = (size - payload.len()).min(self.page_size - 4);
            payload.extend_from_slice(&page[4..4 + n_bytes]);
            next = u32_at(page, 0);
        }
        payload
    }
}

fn u32_at(bytes: &[u8], at: usize) -> usize {
    u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap()) as usize
}

fn varint(bytes: &[u8], at: &mut usize) -> u64 {
    let mut value = 0;
    for index in 0..9 {
        let byte = bytes[*at];
        *at += 1;
        if index == 8 {
            return (value << 8) | u64::from(byte);
        }
        value = (value << 7) | u64::from(byte & 0x7f);
        if byte < 0x80 {
            break;
        }
    }
    value
}

fn record(payload: &[u8]) -> Vec<OwnedValue> {
    let mut at = 0;
    let header_size = varint(payload, &mut at) as usize;
    let mut kinds = Vec::new();
    while at < header_size {
        kinds.push(varint(payload, &mut at));
    }
    let mut rest = &payload[header_size..];
    kinds.into_iter().map(|kind| value(kind, &mut rest)).collect()
}

fn value(kind: u64, rest: &mut &[u8]) -> OwnedValue {
    let mut take = |n_bytes: usize| {
        let (bytes, behind) = rest.split_at(n_bytes);
        *rest = behind;
        bytes
    };
    let integer = |bytes: &[u8]| {
        let sign = if bytes[0] >= 0x80 { -1_i64 } else { 0 };
        bytes.iter().fold(sign, |value, byte| (value << 8) | i64::from(*byte))
    };
    match kind {
        0 => OwnedValue::Null,
        1..=4 => OwnedValue::Integer(integer(take(kind as usize))),
        5 => OwnedValue::Integer(integer(take(6))),
        6 => OwnedValue::Integer(integer(take(8))),
        7 => OwnedValue::Real(f64::from_be_bytes(take(8).try_into().unwrap())),
        8 => OwnedValue::Integer(0),
        9 => OwnedValue::Integer(1),
        kind if kind % 2 == 0 => OwnedValue::Blob(take((kind as usize - 12) / 2).to_vec()),
        kind => OwnedValue::Text(String::from_utf8(take((kind as usize - 13) / 2).to_vec()).unwrap()),
    }
}
