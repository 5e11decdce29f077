/**
 * Characters that a terminal obeys or does not show. By Unicode's own properties and not by our rule, so that a hole in
 * the rule is found. Of the format characters these are visible: signs that are drawn around digits and words.
 */
const unseen =
  /(?![\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

/** By their numbers; newlines and tabs aside, which order what is printed. */
export const unseenIn = (text: string): string[] =>
  (text.match(unseen) ?? [])
    .filter((character) => character !== '\n' && character !== '\t')
    .map((character) => character.codePointAt(0)!.toString(16))
