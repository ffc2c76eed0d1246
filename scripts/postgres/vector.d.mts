/** The folders of a build, one of which the user that downloads owns. */
export function makeBuildFolders(downloader?: { uid: number; gid: number }): {
  all: string
  state: string
  downloads: string
  source: string
}
