/** The nonce that the content security policy allows for this page's styles. Browsers expose it to the page's own scripts only. */
export function pageNonce(): string {
  return document.querySelector<HTMLElement>('script[nonce]')?.nonce ?? ''
}
