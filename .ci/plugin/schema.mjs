// Holds a JSON file against a JSON schema: node schema.mjs SCHEMA FILE
import { readFileSync } from "node:fs";
import Ajv from "ajv";
import formats from "ajv-formats";

const [schema, file] = process.argv.slice(2).map((name) => JSON.parse(readFileSync(name, "utf8")));
const ajv = new Ajv({ strict: false, allErrors: true });
formats(ajv);
const valid = ajv.compile(schema);
if (!valid(file)) {
	console.error(ajv.errorsText(valid.errors, { separator: "\n" }));
	process.exit(1);
}
console.log(`valid by ${schema.$id}`);
