/** Unicode normalisation in linear time. */

/** The most marks on one letter that anybody writes, as in UAX #15's Stream-Safe Text Format. */
const MORE_THAN_30_MARKS = /(\p{M}{30})\p{M}+/gu

/**
 * `text` in a normal form, without marks beyond the thirtieth on one letter. Normalisation puts the marks of a letter in order by moving
 * each past those before it: half a megabyte of them, in the most awkward order, would take minutes.
 */
export function normalized(text: string, form: 'NFC' | 'NFD' | 'NFKC'): string {
  return text.replaceAll(MORE_THAN_30_MARKS, '$1').normalize(form)
}
