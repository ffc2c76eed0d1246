/** A random BERT checkpoint of two layers: the files of its folder, by name. */
export function smallModel(): Record<string, string | Uint8Array>

/** Writes those files into a folder, whose name it returns. */
export function writeSmallModel(folder: string): string
