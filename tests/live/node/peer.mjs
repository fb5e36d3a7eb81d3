// A peer of the live tests: @a2a-js/sdk signs and verifies AgentCards as `JSON.parse` gives them.
//
// Reads one JSON request a line from standard input and answers with one JSON line on standard output:
//
//     {"verb": "sign", "card": TEXT, "key": JWK}                {"card": TEXT}
//     {"verb": "verify", "card": TEXT, "keys": [JWK, ...]}      {"accepted": true or false}
//
// Whatever else happens is answered as {"error": TEXT}. The process ends with its input.
//
// The first argument is the folder below which `node_modules` is.

import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const here = createRequire(pathToFileURL(resolve(process.argv[2], 'package.json')));
const { generateAgentCardSignature, verifyAgentCardSignature } = here('@a2a-js/sdk');

// The SDK reports every signature that does not verify on standard output.
console.debug = () => {};

async function sign({ card, key }) {
  const signer = generateAgentCardSignature(key, { alg: key.alg, kid: key.kid, typ: 'JOSE' });
  return { card: JSON.stringify(await signer(JSON.parse(card))) };
}

async function verify({ card, keys }) {
  const verifier = verifyAgentCardSignature(async (kid) => keys.find((key) => key.kid === kid));
  try {
    await verifier(JSON.parse(card));
  } catch (error) {
    if (error.message === 'No valid signatures found on agent card.') {
      return { accepted: false };
    }
    throw error;
  }
  return { accepted: true };
}

const verbs = { sign, verify };

for await (const line of createInterface({ input: process.stdin })) {
  let answer;
  try {
    const request = JSON.parse(line);
    answer = await verbs[request.verb](request);
  } catch (error) {
    answer = { error: `${error.name}: ${error.message}` };
  }
  console.log(JSON.stringify(answer));
}
