/** A text of a page that names constants, made from those of the code. */
interface Phrase {
  page: string;
  phrase: string;
}

export function constantPhrases(): Phrase[] {
  return [];
}
