/**
 * Loaded before the servers: those that have no option for the address would listen for the whole network, and each says in
 * its own words when it listens, or does not.
 */
import { Server } from "node:net";

const listen = Server.prototype.listen as (this: Server, ...args: readonly unknown[]) => Server;

Server.prototype.listen = function (this: Server, port: unknown, ...others: readonly unknown[]): Server {
  this.once("listening", () => process.stderr.write(`listens at ${JSON.stringify(this.address())}\n`));
  return Number.isInteger(Number(port)) && typeof others[0] !== "string"
    ? listen.call(this, Number(port), "127.0.0.1", ...others)
    : listen.call(this, port, ...others);
} as typeof Server.prototype.listen;
