/** Counts the terms of a corpus for the BM25 score. */
export { collectTerms, type TermsInputs } from './collect-terms.ts'
