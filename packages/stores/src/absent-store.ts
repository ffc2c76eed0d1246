import { KithError } from '@kith/core'

/**
 * The error of a store that is opened to be read and is not there.
 *
 * @param place The folder or database, without a password.
 * @param others The collections that the place has.
 */
export function absentCollection(
  place: string,
  name: string,
  others: readonly string[] = [],
): KithError {
  const found = others.length > 0 ? `it has ${others.toSorted().join(', ')}` : 'it has none'
  return absent(place, `there is no collection ${JSON.stringify(name)} (${found})`)
}

/** The error of a place that is not there; the place comes first, so that it is easy to check. */
export function absent(place: string, problem: string): KithError {
  return new KithError(
    'BAD_INPUT',
    `${place}: ${problem}: check the address, or load documents first (kith load, or openStore with create: true)`,
  )
}
