import type { Reference, Schema } from '../../contract/reference.ts';

/** TypeScript types of all answers and operations, in the country's words. */
export function clientTypes({ operations, schemas }: Reference): string {
  const answers = Object.entries(schemas).map(([name, schema]) => `export type ${name} = ${schemaType(schema)};\n`);
  const files = operations.filter(({ schema }) => !schema).map(({ path }) => `\n  | ${JSON.stringify(path)}`);
  const lines = operations.flatMap(({ path, parameters, schema }) => {
    if (!schema) return [];
    const key = path.includes('{') ? `[path: \`${path.replaceAll(/\{\w+\}/g, '$${string}')}\`]` : JSON.stringify(path);
    const query = parameters
      .filter((parameter) => parameter.in === 'query')
      .map(({ name, required }) => `${name}${required ? '' : '?'}: string | number`);
    const parametersType = query.length > 0 ? `{ ${query.join('; ')} }` : 'Record<never, never>';
    return `  ${key}: { parameters: ${parametersType}; answer: ${schemaType(schema)} };\n`;
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

/** @throws Error for a schema of a kind that the contract does not use */
export function schemaType(schema: Schema, indent = ''): string {
  const { $ref, anyOf, const: constant, enum: values, items, minItems, maxItems, properties, required, type } = schema;
  if ($ref !== undefined) return $ref.split('/').at(-1)!;
  if (constant !== undefined) return JSON.stringify(constant);
  const options = anyOf?.map((option) => schemaType(option, indent)) ?? values?.map((value) => JSON.stringify(value));
  if (options) return options.join(' | ');
  if (items) {
    const item = schemaType(items, indent);
    if (minItems === 2 && maxItems === 2) return `[${item}, ${item}]`;
    return item.includes(' | ') ? `(${item})[]` : `${item}[]`;
  }
  if (properties) {
    const fieldIndent = `${indent}  `;
    const fields = Object.entries(properties).map(([name, field]) => {
      // In a description, too, an asterisk and a slash would end the comment.
      const about = field.description ? `${fieldIndent}/** ${field.description.replaceAll('*/', '*\\/')} */\n` : '';
      const key = /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
      return `${about}${fieldIndent}${key}${required?.includes(name) ? '' : '?'}: ${schemaType(field, fieldIndent)};\n`;
    });
    return `{\n${fields.join('')}${indent}}`;
  }
  if (type === 'integer') return 'number';
  if (type && ['string', 'number', 'boolean', 'null'].includes(type)) return type;
  throw new Error(`found a schema of type ${type}, expected one that the contract uses`);
}
