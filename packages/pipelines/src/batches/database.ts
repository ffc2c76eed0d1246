import { KithError } from '@kith/core'
import { storeKind } from '@kith/stores/internal'
import { splitAddress } from '../join/store-address.ts'

/** The address of the database that batches are in, without the collection that the address names. */
export function databaseOf(store: string): string {
  if (storeKind(store) === 'postgres') return splitAddress(store).address
  const given = JSON.stringify(store)
  throw new KithError('BAD_INPUT', `batches are in a database (postgres://…), not in ${given}`)
}
