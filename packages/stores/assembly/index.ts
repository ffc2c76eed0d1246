/** The kernel of exact search, over memory that the caller lays out. */

export { select } from './candidates'
export { encodeRows } from './codes'
export { inverseLengths } from './lengths'
export { packFloats, packHalves } from './pack'
export { scan } from './scan'
export { scanBounds } from './scan-bounds'
export { scanCodes } from './scan-codes'
export { sort } from './sort'
