import { createServer } from 'node:http';
import { answer } from './routes.mjs';

createServer((request, response) => {
  const { status, body } = answer(new URL(request.url, 'http://localhost'));
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body) + '\n');
}).listen(Number(process.env.PORT), 'localhost');
