/** The URL of a store as it may be shown: without the password, or the token, that it may hold. */
export const shownUrl = (url: string): string => url.replace(/^([a-z0-9+]+:\/\/)[^/?#]*@/i, '$1…@')
