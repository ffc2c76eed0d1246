import { optionalPackage } from '@kith/base'

/** Loads what trains and adapts. Other jobs need not wait for the runtime, nor have it installed. */
export function loadTrain(): Promise<typeof import('@kith/train')> {
  return optionalPackage('training and adapters need', '@kith/encoder', () => import('@kith/train'))
}
