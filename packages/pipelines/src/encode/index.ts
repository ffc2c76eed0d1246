/** Encodes the texts of a file into embeddings. */
export { type EncodeInputs, type EncodeResult, encodeTexts } from './encode-texts.ts'
