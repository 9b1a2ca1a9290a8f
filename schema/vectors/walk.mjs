// Walks the vectors with what any JavaScript program has: TextDecoder, JSON.parse and, as the
// schema validator, Ajv. It knows nothing of containlease.
//
//   npm ci && node walk.mjs        compares with the "schema" of every row, prints counts, exits 1 on a surprise
//   node walk.mjs -                reads rows from standard input and prints one letter for each (see verdict)
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import Ajv from "ajv/dist/2020.js";

const here = (name) => new URL(name, import.meta.url);
const schema = (name) => JSON.parse(readFileSync(here(`../${name}.schema.json`), "utf8"));
const ajv = new Ajv({ strict: true, strictTypes: false });
const versions = ["lease-v1", "lease-v2"].map((name) => ajv.compile(schema(name)));
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

// What the schemas say of a document: "y" valid, "n" not valid, "-" it is not JSON in UTF-8.
function verdict(bytes) {
  let value;
  try {
    value = JSON.parse(utf8.decode(bytes));
  } catch {
    return "-";
  }
  return versions.some((valid) => valid(value)) ? "y" : "n";
}

const documents = new Map();

// The bytes of a row: as they are, made from another row by edits, or joined from repeated parts.
function bytesOf(row) {
  if (row.parts) return Buffer.concat(row.parts.map(([text, times]) => repeat(Buffer.from(text, "base64"), times)));
  let bytes = row.base ? documents.get(row.base) : Buffer.from(row.bytes ?? "", "base64");
  for (const [offset, deleted, inserted] of row.edits ?? []) {
    bytes = Buffer.concat([bytes.subarray(0, offset), Buffer.from(inserted, "base64"), bytes.subarray(offset + deleted)]);
  }
  if (row.name) documents.set(row.name, bytes);
  return bytes;
}

const repeat = (piece, times) => Buffer.alloc(piece.length * times, piece);

const rowsOf = (file) => readFileSync(here(file), "utf8").trimEnd().split("\n").map((line) => JSON.parse(line));

// What a row promises: "y", "n", or "" where a schema cannot judge (not JSON, or a name twice).
function promised(row) {
  if ("schema" in row) return row.schema === null ? "" : row.schema ? "y" : "n";
  return row.strict ? "y" : "";
}

// What Ajv may accept although the row refuses it: a number that no double holds.
const rounds = JSON.parse(readFileSync(here("disagreements.json"), "utf8")).some((d) => d.validator === "ajv" && d.when === "rounded-number");
const inexact = (bytes) => /"\s*:\s*[0-9]+\.?[0-9]{15}/.test(bytes.toString("latin1"));

function walk() {
  let surprises = 0;
  for (const file of ["cases.jsonl", "cuts.jsonl", "large.jsonl", "decode.jsonl", "mutants.jsonl"]) {
    const count = { y: 0, n: 0, "-": 0 };
    for (const row of rowsOf(file)) {
      const bytes = bytesOf(row);
      const got = verdict(bytes);
      count[got]++;
      const want = promised(row);
      if (want === "n" && got === "y" && rounds && inexact(bytes)) continue;
      // A document that ends badly behind its first mistake is no JSON either: refused all the same.
      if (want !== "" && got !== want && !(want === "n" && got === "-")) {
        surprises++;
        console.log(`${file}: ${row.name ?? row.base}: the row says ${want}, Ajv says ${got}`);
      }
    }
    console.log(`${file}: ${count.y} valid, ${count.n} not valid, ${count["-"]} no JSON`);
  }
  console.log(surprises === 0 ? "no surprises" : `${surprises} surprises`);
  return surprises === 0 ? 0 : 1;
}

async function answer() {
  const letters = [];
  for await (const line of createInterface({ input: process.stdin })) letters.push(verdict(bytesOf(JSON.parse(line))));
  console.log(letters.join(""));
  return 0;
}

process.exitCode = process.argv[2] === "-" ? await answer() : walk();
