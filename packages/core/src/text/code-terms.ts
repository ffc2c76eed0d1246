import { porterStem } from './porter.ts'
import { stopWords } from './stop-words.ts'

/** Names of programming languages: questions have them, and the code in that language does not. */
const languages =
  'golang java javascript kotlin perl php python ruby rust scala swift typescript'.split(' ')

/** A word behind which a definition has its name. */
const DEFINER = /^(?:class|def|enum|fn|fun|func|function|interface|struct|trait|type)$/

/** The characters between the keyword and the name: a space, and in Go the receiver. */
const BEFORE_NAME = /\s+(?:\([^()]{0,99}\)\s*)?(?=[\p{L}_$])/uy

/** Words that code abbreviates and questions spell out. */
const abbreviations = new Map(
  (
    'addr address,alloc allocate,arg argument,args argument,arr array,attr attribute,attrs attribute,' +
    'auth authenticate,avg average,bool boolean,buf buffer,calc calculate,cfg config,char character,' +
    'chars character,cmd command,col column,cols column,concat concatenate,conf config,' +
    'configuration config,coord coordinate,coords coordinate,curr current,db database,del delete,' +
    'dest destination,dict dictionary,dicts dictionary,dir directory,dirs directory,doc document,' +
    'docs document,dst destination,elem element,env environment,err error,eval evaluate,exc exception,' +
    'exec execute,ext extension,fmt format,fn function,func function,funcs function,gen generate,' +
    'idx index,img image,info information,init initialize,int integer,ints integer,iter iterate,' +
    'len length,lib library,max maximum,mem memory,min minimum,msg message,num number,nums number,' +
    'obj object,objs object,param parameter,params parameter,pkg package,pos position,prev previous,' +
    'proc process,ptr pointer,pwd password,rand random,ref reference,regexp regex,req request,' +
    'resp response,seq sequence,src source,str string,strs string,sys system,temp temporary,' +
    'tmp temporary,util utility,utils utility,val value,vals value,var variable,vars variable,vec vector'
  )
    .split(',')
    .map((pair) => pair.split(' ') as [string, string]),
)

const unasked: ReadonlySet<string> = new Set([...stopWords, ...languages])

/** An acronym, a word with or without a capital, capitals, or digits. */
const PART =
  /\p{Lu}+(?!\p{Ll})|\p{Lu}?(?:[\p{Ll}\p{Lo}\p{Lm}\p{Lt}]\p{M}*)+|\p{Lu}+|\p{N}[\p{N}.]*/gu

/**
 * The terms of an identifier or word: its parts (`parseHTTPResponse` has parse, http, response) in
 * their order, and the whole in lower case without underscores if it has more than one.
 */
export function identifierTerms(identifier: string): { parts: string[]; whole: string } {
  const parts = (identifier.match(PART) ?? []).map((part) => part.toLowerCase())
  return {
    parts: parts.map(partTerm).filter((term) => term !== ''),
    whole: parts.length > 1 ? parts.join('') : '',
  }
}

function partTerm(part: string): string {
  if (unasked.has(part)) return ''
  const word = abbreviations.get(part) ?? part
  return /^[a-z]+$/.test(word) ? porterStem(word) : word
}

/** Whether a definition has its name behind a word. */
export function announcesName(word: string): boolean {
  return DEFINER.test(word)
}

/** Where the name of a definition starts after the word that ends here, −1 if there is none. */
export function nameBehind(text: string, end: number): number {
  BEFORE_NAME.lastIndex = end
  return BEFORE_NAME.test(text) ? BEFORE_NAME.lastIndex : -1
}
