
.
xPlaceholder*
dtype0*
shape:

vVarHandleOp

aAssignVariableOpvx

outRelux^a