import { readFile } from 'node:fs/promises'
import { FileError } from '@kith/base'
import type { Calibration } from '@kith/core'

/** Reads the calibration that `kith calibrate` wrote. */
export async function readCalibration(file: string): Promise<Calibration> {
  const text = await readFile(file, 'utf8')
  try {
    const { a, b } = JSON.parse(text) as Calibration
    if (Number.isFinite(a) && a > 0 && Number.isFinite(b)) return { a, b }
  } catch {
    // The error below describes the problem.
  }
  throw new FileError(file, '', 'is not a calibration; make one with kith calibrate')
}
