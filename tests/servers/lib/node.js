// SPDX-License-Identifier: MIT
// Main thread and workers draw UUIDs and bytes side by side, hash, and talk to each other by TLS.
// Prints nothing that is random. node.js KEY CERT
'use strict'
const { Worker, isMainThread, parentPort } = require('worker_threads')
const crypto = require('crypto')
const DRAWS = 5000

function draw() {
  const drawn = []
  for (let i = 0; i < DRAWS; i++) {
    drawn.push(crypto.randomUUID({ disableEntropyCache: i % 2 === 0 }))
    drawn.push(crypto.randomBytes(16).toString('hex'))
    if (crypto.randomInt(1000) > 999) throw new Error('out of range')
  }
  return drawn
}

if (!isMainThread) {
  parentPort.postMessage(draw())
} else {
  const all = draw()
  const workers = []
  for (let i = 0; i < 4; i++)
    workers.push(new Promise((done, bad) => {
      const worker = new Worker(__filename)
      worker.on('message', (drawn) => all.push(...drawn))
      worker.on('error', bad)
      worker.on('exit', done)
    }))
  Promise.all(workers).then(async () => {
    const uuids = all.filter((s) => /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(s))
    console.log(all.length, 'drawn,', new Set(all).size, 'distinct,', uuids.length, 'uuids')
    const { publicKey, privateKey } = crypto.generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const signature = crypto.sign('sha256', Buffer.from('text'), privateKey)
    console.log(crypto.verify('sha256', Buffer.from('text'), publicKey, signature))
    console.log(await new Promise((done) => crypto.pbkdf2('a', 'b', 20000, 32, 'sha512', (e, k) => done(k.toString('hex')))))
    talk()
  })
}

function talk() {
  const fs = require('fs')
  const https = require('https')
  const server = https.createServer({ key: fs.readFileSync(process.argv[2]), cert: fs.readFileSync(process.argv[3]) },
    (request, response) => response.end('echo ' + request.url))
  server.listen(0, '127.0.0.1', () => {
    const port = server.address().port
    let open = 100
    const answers = []
    for (let i = 0; i < 100; i++)
      https.get({ port, host: '127.0.0.1', path: '/' + i, rejectUnauthorized: false, agent: false }, (response) => {
        let text = ''
        response.on('data', (part) => { text += part })
        response.on('end', () => {
          answers.push(text)
          if (--open === 0) {
            console.log(answers.sort().join(' '))
            server.close()
          }
        })
      })
  })
}
