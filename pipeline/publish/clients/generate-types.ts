import { ERRORS, Problem } from '../../contract/errors.ts';
import { inCountry } from '../../contract/in-country.ts';
import { JSON_OPERATIONS, OPERATIONS, PARAMETERS, RELEASE_OPERATIONS } from '../../contract/operations.ts';
import type { Territory } from '../../contract/territory.ts';
import { fill, wordsOf } from '../../contract/words.ts';

interface JsonSchema {
  description?: string;
  type?: string;
  const?: unknown;
  enum?: readonly unknown[];
  anyOf?: readonly JsonSchema[];
  items?: JsonSchema;
  properties?: Record<string, JsonSchema>;
  required?: readonly string[];
  minItems?: number;
  maxItems?: number;
}

/** TypeScript types of all answers, errors and operations, generated from the contract in the country's words. */
export function clientTypes(territory: Territory): string {
  const words = wordsOf(territory);
  const answers = [...JSON_OPERATIONS, ...RELEASE_OPERATIONS].map(
    ({ responseName, response, summary }) =>
      `/** ${fill(summary, words)} */\nexport type ${responseName} = ${typeOf(plain(inCountry(response, territory)))};\n`,
  );
  const operations = [...JSON_OPERATIONS, ...RELEASE_OPERATIONS].map(({ path, parameters, responseName }) => {
    const query = parameters.map(
      (name) => `${name}${PARAMETERS[name].required ? '' : '?'}: ${name === 'months' ? '1 | 2 | 3 | 4' : 'string'}`,
    );
    const key = path.includes('{') ? `[path: \`${path.replaceAll(/\{\w+\}/g, '\u0024{string}')}\`]` : `'${path}'`;
    return `  ${key}: { parameters: ${query.length > 0 ? `{ ${query.join('; ')} }` : 'Record<never, never>'}; answer: ${responseName} };`;
  });
  const tables = OPERATIONS.filter(({ id }) => id.startsWith('table-')).map(({ path }) => path);
  return `// Generated from the service's contract; see openapi.json.

${answers.join('\n')}
/** Codes of errors; a later version of the service may have more. */
export type ErrorCode = ${Object.keys(ERRORS).map(literal).join(' | ')};

/** Body of every error, application/problem+json. */
export type Problem = ${typeOf(plain(Problem))};

/** Addresses of whole tables. */
export type TablePath = ${tables.map(literal).join(' | ')};

/** Path -> parameters and answer. */
export interface Operations {
${operations.join('\n')}
}
`;
}

/** A schema without the hidden properties of the library that made it. */
const plain = (schema: unknown): JsonSchema => JSON.parse(JSON.stringify(schema));

/** @throws Error for a schema of a kind that the contract does not use */
export function typeOf(schema: JsonSchema, indent = ''): string {
  if (schema.anyOf) return schema.anyOf.map((one) => typeOf(one, indent)).join(' | ');
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum) return schema.enum.map(literal).join(' | ');
  if (schema.type === 'array') {
    const item = typeOf(schema.items!, indent);
    if (schema.minItems === 2 && schema.maxItems === 2) return `[${item}, ${item}]`;
    return schema.items!.anyOf || schema.items!.enum ? `(${item})[]` : `${item}[]`;
  }
  if (schema.type === 'object') {
    const inner = `${indent}  `;
    const fields = Object.entries(schema.properties!).map(([name, field]) => {
      const about = field.description ? `${inner}/** ${field.description} */\n` : '';
      return `${about}${inner}${name}${schema.required?.includes(name) ? '' : '?'}: ${typeOf(field, inner)};\n`;
    });
    return `{\n${fields.join('')}${indent}}`;
  }
  const simple: Record<string, string> = {
    string: 'string',
    number: 'number',
    integer: 'number',
    boolean: 'boolean',
    null: 'null',
  };
  const type = simple[schema.type ?? ''];
  if (type === undefined) throw new Error(`found a schema of type ${schema.type}, expected one that the contract uses`);
  return type;
}

const literal = (value: unknown) => (typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : String(value));
