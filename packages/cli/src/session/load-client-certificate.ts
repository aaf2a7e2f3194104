import { createPrivateKey, type KeyObject } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import { usageError } from '../cli-error.ts'
import { loadCertificateFile } from '../files/load-certificate-file.ts'
import { loadTextFile } from '../files/load-text-file.ts'
import type { Trust } from '../net/trusting-fetch.ts'

/** A client certificate and its key. Throws where they cannot be used: no controller could answer. */
export function loadClientCertificate(certFile: string, keyFile: string): Pick<Trust, 'certPem' | 'keyPem'> {
  const { pem: certPem, certificate } = loadCertificateFile(certFile)
  const keyPem = loadTextFile(keyFile)
  if (!certificate.checkPrivateKey(parseKey(keyFile, keyPem)))
    throw usageError(`${keyFile} is not the key of ${certFile}`, 'name the two that belong together')
  try {
    createSecureContext({ cert: certPem, key: keyPem })
  } catch {
    throw usageError(
      `TLS cannot use ${certFile}`,
      'is the chain behind the certificate whole, and the key strong enough?',
    )
  }
  return { certPem, keyPem }
}

function parseKey(file: string, pem: string): KeyObject {
  try {
    return createPrivateKey(pem)
  } catch {
    throw usageError(
      `${file} holds no private key that can be used`,
      'name a file with one in PEM, without a passphrase',
    )
  }
}
