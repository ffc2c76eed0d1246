/** Converts runs, qrels, texts and embeddings between formats. */
export { type ConvertInputs, convertedKinds, convertFile } from './convert-file.ts'
