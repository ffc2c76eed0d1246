/** A random BERT checkpoint of two layers: the files of its folder, by name. */
export function smallModel(): Record<string, string | Uint8Array>
