import { readFile, stat } from 'node:fs/promises'
import { asFileError, FileError } from '@kith/base'

/** An object in a JSON file, unchecked. */
export type JsonObject = Record<string, unknown>

/**
 * Maximum size of a file in bytes; the tokenizer.json of a large vocabulary has some tens of
 * megabytes.
 */
const LARGEST = 2 ** 28

/** Returns whether a value is an object with keys. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Reads a text file of limited size. */
export async function readText(file: string): Promise<string> {
  try {
    const found = await stat(file)
    // Reading a pipe without a writer would never end.
    if (!found.isFile()) throw new FileError(file, '', 'is not a file')
    const { size } = found
    if (size > LARGEST)
      throw new FileError(file, '', `the file has ${size} bytes, the limit is ${LARGEST}`)
    return await readFile(file, 'utf8')
  } catch (error) {
    throw asFileError(file, error)
  }
}

/** Reads a JSON file that contains an object. */
export async function readJson(file: string): Promise<JsonObject> {
  const value = await readJsonValue(file)
  if (!isObject(value)) throw new FileError(file, '', 'expected a JSON object')
  return value
}

/** Reads a JSON file. */
export async function readJsonValue(file: string): Promise<unknown> {
  const text = await readText(file)
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new FileError(file, '', `is not JSON: ${(error as Error).message}`)
  }
}
