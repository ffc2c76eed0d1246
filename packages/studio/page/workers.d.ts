/** A worker whose program stands in the page's own script, since a page from a disk may load none. */
declare module '*?worker&inline' {
  const Kind: new () => Worker
  export default Kind
}
