// To be imported before React: the monitor is published with React as it is for production, which takes half the time of the other.
process.env['NODE_ENV'] = 'production'
