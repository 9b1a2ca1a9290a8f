package etcd

const memberEnv = "CONTAINLEASE_ETCD_MEMBER"

func member() {}
