
.
xPlaceholder*
dtype0*
shape:

scaleIdentityx

offsetIdentityx

meanIdentityx

varianceIdentityx
M
normFusedBatchNormV3xscaleoffsetmeanvariance*
is_training(