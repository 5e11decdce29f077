export { type MonitorOptions, monitor } from './monitor.ts'
