/** The nonce under which this page's own styles are let through; the browser shows it to scripts of the page only. */
export function pageNonce(): string {
  return document.querySelector<HTMLElement>('script[nonce]')?.nonce ?? ''
}
