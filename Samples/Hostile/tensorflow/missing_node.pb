
.
xPlaceholder*
dtype0*
shape:

outRelunothing