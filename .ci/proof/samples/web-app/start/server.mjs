// Serves the page: PORT=0 node server.mjs. Prints its address once it listens.
import { createServer } from 'node:http';
import { readFileSync } from 'node:fs';

const server = createServer((request, response) => {
  if (request.url !== '/') {
    response.writeHead(404).end();
    return;
  }
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
  response.end(readFileSync(new URL('page.html', import.meta.url)));
});
server.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}/`);
});
