
.
xPlaceholder*
dtype0*
shape:

startEnterx

mergeMergestartnext

bodyRelumerge

nextNextIterationbody

outExitmerge