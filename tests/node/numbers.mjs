// Checks number texts against the ECMAScript engine that runs this file.
//
//   node numbers.mjs generate N SEED   prints N finite doubles, each as the 16 hex digits of its bits
//   node numbers.mjs check [N]         reads lines "hex text", prints the count, exits 1 on any difference, on
//                                      no line, and on another number of lines than N

import { createInterface } from "node:readline";

const word = new DataView(new ArrayBuffer(8));

function double(bits) {
  word.setBigUint64(0, bits);
  return word.getFloat64(0);
}

function hex(bits) {
  return bits.toString(16).padStart(16, "0");
}

/** xorshift64* (Vigna 2016): a nonzero state of 64 bits, the same sequence for the same seed. */
function* words(seed) {
  let state = BigInt.asUintN(64, seed) || 1n;
  for (;;) {
    state ^= state >> 12n;
    state = BigInt.asUintN(64, state ^ (state << 25n));
    state ^= state >> 27n;
    yield BigInt.asUintN(64, state * 0x2545f4914f6cdd1dn);
  }
}

/** Doubles near which ECMAScript changes its notation or rounding is hardest, each with both neighbours. */
function edges() {
  const values = [0, 5e-324, 2.2250738585072014e-308, 1e-7, 1e-6, 0.1, 1, 1e21, 1e23, 2 ** 53, 2 ** 68, Number.MAX_VALUE];
  for (let exponent = -323; exponent <= 308; exponent += 1) {
    values.push(Number(`1e${exponent}`));
  }
  return values.flatMap((value) => {
    word.setFloat64(0, value);
    const bits = word.getBigUint64(0);
    return [bits - 1n, bits, bits + 1n].filter((near) => near >= 0n);
  });
}

/** Half of the doubles have random bits; the others are decimals and integers as people write them. */
function bitsOf(random) {
  switch (random & 3n) {
    case 0n:
    case 1n:
      return random ^ (random << 2n);
    case 2n:
      word.setFloat64(0, Number(random >> 11n & 0xffffffffn) / 10 ** Number(random >> 50n & 7n));
      return word.getBigUint64(0);
    default:
      word.setFloat64(0, Number(random >> 2n));
      return word.getBigUint64(0);
  }
}

function generate(count, seed) {
  const lines = [];
  const put = (bits) => {
    if (lines.length < count && Number.isFinite(double(bits))) lines.push(hex(bits));
  };
  edges().forEach(put);
  const source = words(seed);
  while (lines.length < count) {
    put(BigInt.asUintN(64, bitsOf(source.next().value)));
  }
  process.stdout.write(lines.map((line) => `${line}\n`).join(""));
}

async function check(wanted) {
  let count = 0;
  let differences = 0;
  for await (const line of createInterface({ input: process.stdin })) {
    const match = /^([0-9a-f]{16}) (\S+)$/.exec(line);
    // JSON.stringify rather than String: the text of a number in JSON, -0 included.
    const expected = match && JSON.stringify(double(BigInt(`0x${match[1]}`)));
    count += 1;
    if (!match || match[2] !== expected) {
      differences += 1;
      const answer = expected ? `V8 says ${expected}` : "which is not of the form: hex text";
      if (differences <= 20) console.log(`line ${count}: "${line}", ${answer}`);
    }
  }
  console.log(`${count} numbers compared with V8 ${process.versions.v8}, ${differences} differences`);
  if (wanted !== undefined && count !== wanted) console.log(`${wanted} lines were expected`);
  if (count === 0 || count !== (wanted ?? count) || differences > 0) process.exitCode = 1;
}

const [mode, ...rest] = process.argv.slice(2);
if (mode === "generate" && /^\d+$/.test(rest[0]) && /^\d+$/.test(rest[1])) {
  generate(Number(rest[0]), BigInt(rest[1]));
} else if (mode === "check" && rest.length === 0) {
  await check();
} else if (mode === "check" && /^\d+$/.test(rest[0])) {
  await check(Number(rest[0]));
} else {
  console.error("usage: numbers.mjs generate N SEED | numbers.mjs check [N]");
  process.exitCode = 2;
}
