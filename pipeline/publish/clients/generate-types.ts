// biome-ignore lint/suspicious/noExplicitAny: a document of many shapes; tests compile what is made of it
type Json = any;

/** TypeScript types of all answers and operations, in the country's words, from the OpenAPI document. */
export function clientTypes({ components, paths }: Json): string {
  const schemas: [string, Json][] = Object.entries(components.schemas);
  const answers = schemas.map(([name, schema]) => `export type ${name} = ${typeOf(schema)};\n`);
  const operations = Object.entries(paths).map(([path, item]) => {
    const { parameters, responses }: Json = (item as Json).get;
    const query = parameters
      .map(({ $ref }: Json) => components.parameters[nameIn($ref)])
      .filter((parameter: Json) => parameter.in === 'query')
      .map(({ name, required }: Json) => `${name}${required ? '' : '?'}: string | number`);
    const [{ schema }]: Json[] = Object.values(responses['200'].content);
    return { path, query, schema };
  });
  const files = operations.filter(({ schema }) => !schema).map(({ path }) => `\n  | ${JSON.stringify(path)}`);
  const lines = operations
    .filter(({ schema }) => schema)
    .map(({ path, query, schema }) => {
      const key = path.includes('{')
        ? `[path: \`${path.replaceAll(/\{\w+\}/g, '$${string}')}\`]`
        : JSON.stringify(path);
      const parameters = query.length > 0 ? `{ ${query.join('; ')} }` : 'Record<never, never>';
      return `  ${key}: { parameters: ${parameters}; answer: ${typeOf(schema)} };\n`;
    });
  return `// Generated from openapi.json.

${answers.join('\n')}
/** Addresses of whole tables and other files. */
export type FilePath =${files.join('')};

/** Path -> parameters and answer. */
export interface Operations {
${lines.join('')}}
`;
}

const nameIn = (reference: string) => reference.split('/').at(-1)!;

/** @throws Error for a schema of a kind that the contract does not use */
export function typeOf(schema: Json, indent = ''): string {
  if (schema.$ref) return nameIn(schema.$ref);
  if (schema.anyOf) return schema.anyOf.map((one: Json) => typeOf(one, indent)).join(' | ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value: unknown) => JSON.stringify(value)).join(' | ');
  if (schema.type === 'array') {
    const item = typeOf(schema.items, indent);
    if (schema.minItems === 2 && schema.maxItems === 2) return `[${item}, ${item}]`;
    return item.includes(' | ') ? `(${item})[]` : `${item}[]`;
  }
  if (schema.type === 'object') {
    const inner = `${indent}  `;
    const fields = Object.entries(schema.properties).map(([name, field]: [string, Json]) => {
      // In a description, too, an asterisk and a slash would end the comment.
      const about = field.description ? `${inner}/** ${field.description.replaceAll('*/', '*\\/')} */\n` : '';
      const key = /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
      return `${about}${inner}${key}${schema.required?.includes(name) ? '' : '?'}: ${typeOf(field, inner)};\n`;
    });
    return `{\n${fields.join('')}${indent}}`;
  }
  if (schema.type === 'integer') return 'number';
  if (['string', 'number', 'boolean', 'null'].includes(schema.type)) return schema.type;
  throw new Error(`found a schema of type ${schema.type}, expected one that the contract uses`);
}
