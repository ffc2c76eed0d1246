/** The kernel of exact search, over memory that the caller lays out. */

export { inverseLengths } from './lengths'
export { packFloats, packHalves } from './pack'
export { scan } from './scan'
export { sort } from './sort'
