/** The first `most` of some texts in one line, and how many more there are: `Abia, Kano and 3 more`. */
export function firstFew(texts: readonly string[], most: number, separator = ', '): string {
  const more = texts.length > most ? ` and ${texts.length - most} more` : '';
  return `${texts.slice(0, most).join(separator)}${more}`;
}
