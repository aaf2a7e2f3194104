const SCHEMES = ['postgres:', 'postgresql:']
const SECRET_PARAMETERS = ['password', 'sslpassword']

/** Whether the text is `sqlite` or a PostgreSQL URL. */
export function isDatabase(text: string): boolean {
  return text === 'sqlite' || (URL.canParse(text) && SCHEMES.includes(new URL(text).protocol))
}

/** The URL with its passwords replaced; other text is returned unchanged. */
export function hideUrlPassword(text: string): string {
  if (!URL.canParse(text)) return text
  const url = new URL(text)
  if (url.password !== '') url.password = '***'
  for (const name of SECRET_PARAMETERS) if (url.searchParams.has(name)) url.searchParams.set(name, '***')
  return url.href
}
