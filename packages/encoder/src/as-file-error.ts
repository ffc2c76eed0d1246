import { KithError } from '@kith/core'
import { FileError } from '@kith/ir'

/** An error of the operating system as one that names the file. */
export function asFileError(file: string, error: unknown): KithError {
  if (error instanceof KithError) return error
  const { code, message } = error as NodeJS.ErrnoException
  return new FileError(file, '', code === 'ENOENT' ? 'there is no such file' : message)
}
