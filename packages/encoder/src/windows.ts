/** Texts of a window, at most: enough to find some of the same length. */
const TEXTS = 256
/**
 * Characters of a window, at most: about 16 batches. Resumable work keeps whole windows, so a window
 * of long texts must not take minutes.
 */
const CHARACTERS = 32_768

/** Groups texts into windows of up to 256 texts or about 32,000 characters, in order. */
export async function* windowsOf(
  texts: Iterable<string> | AsyncIterable<string>,
): AsyncGenerator<string[]> {
  let window: string[] = []
  let characters = 0
  for await (const text of texts) {
    window.push(text)
    // A value that is not a string is refused when its window is encoded.
    characters += text?.length ?? 0
    if (window.length < TEXTS && characters < CHARACTERS) continue
    yield window
    window = []
    characters = 0
  }
  if (window.length > 0) yield window
}
