const element = (id) => document.getElementById(id)

async function ask(path) {
  const response = await fetch(path, { headers: { accept: 'application/json' } })
  if (!response.ok) throw new Error(`${path} answered ${response.status}`)
  return (await response.json()).data
}

function showSigner({ name, audience, openIdConfigurationUrl }) {
  const item = document.createElement('li')
  const title = document.createElement('strong')
  title.textContent = name
  const detail = document.createElement('div')
  detail.className = 'soft'
  detail.textContent = openIdConfigurationUrl ? `${audience} · ${openIdConfigurationUrl}` : audience
  item.append(title, detail)
  return item
}

try {
  const [version, signers] = await Promise.all([ask('/version'), ask('/edge/client/v1/external-jwt-signers')])
  element('status').textContent = `Running, version ${version.countersign.version}.`
  element('none').hidden = signers.length > 0
  element('signers').replaceChildren(...signers.map(showSigner))
} catch (error) {
  element('status').textContent = `The controller did not answer: ${error.message}`
}
element('example').textContent = `curl --cacert CA_FILE ${location.origin}/edge/client/v1/external-jwt-signers`
