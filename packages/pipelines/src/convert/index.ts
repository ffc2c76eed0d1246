/** Converts runs, qrels, texts and embeddings between formats. */
export { type ConvertInputs, convertFile } from './convert-file.ts'
