/** The reference as HTML, for the page in a snapshot and for the dashboard. */
import { renderBlocks } from '../lib/pages/blocks.ts';
import { type Html, html, withCodeMarked } from '../lib/pages/html.ts';
import { renderTable } from '../lib/pages/table.ts';
import type { Reference, ReferenceField, ReferenceOperation } from './reference.ts';

/** Operations by tag. @param linkPrefix stands before the id of the operation in each link */
export const operationTables = (
  { tags }: Reference,
  operations: readonly ReferenceOperation[],
  linkPrefix: string,
): Html =>
  html`${tags.map(({ name, description }) => {
    const listed = operations.filter(({ tag }) => tag === name);
    return (
      listed.length > 0 &&
      html`<h2>${description}</h2>${renderTable(
        description,
        [
          { title: 'Path', cell: ({ id, path }) => html`<a href="${linkPrefix}${id}"><code>${path}</code></a>` },
          { title: 'Summary', cell: ({ summary }) => summary },
          { title: 'Scopes', cell: (operation) => withCodeMarked(operation.description) },
        ],
        listed,
      )}`
    );
  })}`;

/** The parts of an operation's description, by title; those that it lacks are null. */
export const operationParts = ({ parameters, schema, fields, example, errors }: ReferenceOperation) => {
  const fieldsTitle = schema ? 'Fields' : 'Columns';
  return {
    Parameters:
      parameters.length > 0
        ? html`<p>Other parameters are ignored, unless a name is nearly that of an absent one: then it is that parameter’s error.</p>${renderTable(
            'Parameters',
            [
              { title: 'Name', cell: ({ name }) => html`<code>${name}</code>` },
              { title: 'Required', cell: ({ required }) => (required ? 'yes' : 'no') },
              { title: 'Meaning', cell: ({ description }) => withCodeMarked(description) },
              { title: 'Example', cell: (parameter) => html`<code>${parameter.example}</code>` },
            ],
            parameters,
          )}`
        : null,
    Answer:
      example !== undefined
        ? html`<p>An example from this data version, with lists shortened.</p><pre tabindex="0" role="group" aria-label="Answer">${schema ? JSON.stringify(example, null, 2) : String(example)}</pre>`
        : null,
    [fieldsTitle]: fields.length > 0 ? fieldTable(fieldsTitle, fields) : null,
    Errors: renderTable(
      'Errors',
      [
        { title: 'Status', cell: ({ status }) => status },
        { title: 'Code and meaning', cell: ({ description }) => withCodeMarked(description) },
      ],
      errors,
    ),
  };
};

/** What holds for all operations, by title. */
export const commonParts = ({ description, problem, headers }: Reference) => ({
  Usage: renderBlocks(description),
  'Error body': fieldTable('Fields', problem),
  Headers: renderTable(
    'Headers',
    [
      { title: 'Name', cell: ({ name }) => html`<code>${name}</code>` },
      { title: 'Meaning', cell: (header) => header.description },
      { title: 'Example', cell: (header) => html`<code>${header.example}</code>` },
    ],
    headers,
  ),
});

const fieldTable = (caption: 'Fields' | 'Columns', fields: readonly ReferenceField[]): Html =>
  renderTable(
    caption,
    [
      { title: caption.slice(0, -1), cell: ({ name }) => html`<code>${name}</code>` },
      { title: 'Type', cell: ({ type }) => type },
      { title: 'Meaning', cell: ({ description }) => withCodeMarked(description) },
    ],
    fields,
  );
