/** The first `count` of some texts in one line, and how many more there are: `Abia, Kano and 3 more`. */
export function firstFew(texts: readonly string[], count: number, separator = ', '): string {
  const more = texts.length > count ? ` and ${texts.length - count} more` : '';
  return `${texts.slice(0, count).join(separator)}${more}`;
}
