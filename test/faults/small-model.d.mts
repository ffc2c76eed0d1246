/** A random BERT checkpoint of two layers, with rows for so many tokens: the files of its folder, by name. */
export function smallModel(tokens?: number): Record<string, string | Uint8Array>

/** Writes those files into a folder, whose name it returns. */
export function writeSmallModel(folder: string, tokens?: number): string
